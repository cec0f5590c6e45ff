# SPDX-License-Identifier: Apache-2.0
"""The file systems that the reference root can be, and their kernel options.

Sources: Linux 6.1, fs/*/Kconfig, drivers/mtd/ubi/Kconfig, usr/Kconfig, and init/do_mounts.c
for the forms of root=.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from perfboard.host.programs.tools import Use
from perfboard.images.root.recipe import INIT, RootRecipe

_NO_SQUASHFS = {"CONFIG_SQUASHFS": "n", "CONFIG_SQUASHFS_FILE_DIRECT": "n"}
_DECOMPRESSORS = ("BZIP2", "LZMA", "XZ", "LZO", "LZ4", "ZSTD")
_SHELL = ("bin/busybox",)
_PROGRAMS = (*_SHELL, "usr/bin/rectangles")
# How the images begin whose file systems look at the sectors after them, and how many of the first
# bytes each erased sector has too: JFFS2's node which says that a sector has been erased
# (include/uapi/linux/jffs2.h), where mkfs.jffs2 was not told to leave it out; UBI's count of
# erasures (drivers/mtd/ubi/ubi-media.h).
_HEADERS = {b"\x85\x19\x03\x20": 12, b"\x85\x19": 0, b"UBI#": 64}


@dataclass(frozen=True)
class FileSystem:
    """One of them.

    `type` is what mount calls it. The kernel reads it `through` a block device, a device of
    flash, a volume of UBI, or from memory, where the bootloader has copied it. `options` are
    settings of the kernel's configuration over those for squashfs; `uses` name the tools that
    make it. `in_place` are the files whose code runs where it lies, and `linear` says that
    the kernel must see its bank of flash as one stretch of addresses.
    """

    type: str
    through: Literal["block", "mtd", "ubi", "memory"] = "block"
    options: Mapping[str, str] = field(default_factory=dict)
    uses: frozenset[Use] = frozenset({"root"})
    in_place: tuple[str, ...] = ()
    linear: bool = False


def _squashfs(compressor: str) -> FileSystem:
    options = {"CONFIG_SQUASHFS_ZLIB": "n", f"CONFIG_SQUASHFS_{compressor.upper()}": "y"}
    return FileSystem("squashfs", options=options)


def _cramfs(in_place: tuple[str, ...] = ()) -> FileSystem:
    options = {**_NO_SQUASHFS, "CONFIG_CRAMFS": "y", "CONFIG_CRAMFS_MTD": "y"}
    return FileSystem("cramfs", "mtd", options, in_place=in_place, linear=True)


def _jffs2(**options: str) -> FileSystem:
    wanted = {**_NO_SQUASHFS, "CONFIG_JFFS2_FS": "y", **options}
    return FileSystem("jffs2", "mtd", wanted, frozenset({"root", "mtd"}))


def _ubifs() -> FileSystem:
    wanted = {**_NO_SQUASHFS, "CONFIG_MTD_UBI": "y", "CONFIG_UBIFS_FS": "y"}
    # The image has no attributes but those of any file.
    wanted["CONFIG_UBIFS_FS_XATTR"] = "n"
    return FileSystem("ubifs", "ubi", wanted, frozenset({"root", "mtd"}))


def _writable(system: Literal["ext4", "f2fs"]) -> FileSystem:
    options = {**_NO_SQUASHFS, f"CONFIG_{system.upper()}_FS": "y"}
    return FileSystem(system, options=options, uses=frozenset({"root", system}))


SIZES: Mapping[str, int] = {"ext4": 16 << 20, "f2fs": 128 << 20}
"""The bytes of the images that have room to write; f2fs keeps much of its own for itself."""
CARD = "pbd"
"""The block device of a card, or of another disk."""
SYSTEMS: Mapping[str, FileSystem] = {
    "squashfs": FileSystem("squashfs"),
    **{f"squashfs-{name}": _squashfs(name) for name in ("lzo", "lz4", "xz", "zstd")},
    "cramfs": FileSystem("cramfs", options={**_NO_SQUASHFS, "CONFIG_CRAMFS": "y"}),
    "cramfs-linear": _cramfs(),
    "cramfs-xip": _cramfs(_SHELL),
    "cramfs-xip-application": _cramfs(_PROGRAMS),
    "cramfs-xip-all": _cramfs((*_PROGRAMS, "lib/*")),
    "jffs2": _jffs2(),
    "jffs2-summary": _jffs2(CONFIG_JFFS2_SUMMARY="y"),
    "ubifs": _ubifs(),
    "erofs": FileSystem(
        "erofs",
        options={
            **_NO_SQUASHFS,
            "CONFIG_EROFS_FS": "y",
            "CONFIG_EROFS_FS_ZIP": "y",
            "CONFIG_EROFS_FS_XATTR": "n",
        },
        uses=frozenset({"root", "erofs"}),
    ),
    "romfs": FileSystem(
        "romfs",
        options={**_NO_SQUASHFS, "CONFIG_ROMFS_FS": "y"},
        uses=frozenset({"root", "romfs"}),
    ),
    "ext4": _writable("ext4"),
    "f2fs": _writable("f2fs"),
    "initramfs": FileSystem(
        "",
        "memory",
        {
            **_NO_SQUASHFS,
            "CONFIG_BLK_DEV_INITRD": "y",
            "CONFIG_RD_GZIP": "y",
            **{f"CONFIG_RD_{name}": "n" for name in _DECOMPRESSORS},
        },
    ),
}


def root_words(root: RootRecipe, device: str) -> list[str]:
    """The kernel's arguments for the root on the block device /dev/`device`."""
    if root.debian:
        return [f"root=/dev/{CARD}", "ro", "rootwait", f"rootfstype={root.debian.system}"]
    through = SYSTEMS[root.system].through
    if through == "memory":
        return [f"rdinit={root.first}"]
    places = {
        "block": [f"root=/dev/{device}", *(["rootwait"] if device == CARD else [])],
        "mtd": ["root=mtd:root"],
        "ubi": ["ubi.mtd=root", "root=ubi0:root"],
    }
    return [*places[through], "ro", *mount_words(root)]


def mount_words(root: RootRecipe) -> list[str]:
    """The arguments for mounting the root and starting from it."""
    first = [] if root.first == INIT else [f"init={root.first}"]
    return [f"rootfstype={SYSTEMS[root.system].type}", *first]


def format_rest(image: bytes, room: int, sector: int) -> bytes:
    """The image as it stands in `room` bytes of flash.

    The sectors after it are erased where its file system looks at them. Each begins with those
    of the image's first bytes that say so. A part of the image's last sector that has nothing is
    erased, too.
    """
    header = next((size for magic, size in _HEADERS.items() if image.startswith(magic)), None)
    if header is None:
        return image
    whole = image.ljust(min(len(image) + -len(image) % sector, room), b"\xff")
    erased = image[:header].ljust(sector, b"\xff")
    return whole + erased * ((room - len(whole)) // sector)
