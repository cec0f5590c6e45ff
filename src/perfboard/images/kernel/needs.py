# SPDX-License-Identifier: Apache-2.0
"""Checks that a kernel which was made for another machine has the virtual machine's drivers.

Without it, a boot ends in silence. A kernel tells by the configuration in it
(CONFIG_IKCONFIG), or by the names in its System.map. Sources: Linux 6.1, the Kconfig files of
these options and kernel/configs.c; QEMU 7.2, hw/arm/virt.c.
"""

import re
import zlib
from collections.abc import Iterator

from perfboard.boards.roots import CPIO, RootKind
from perfboard.images.kernel.system_map import SystemMap, unpack_kernel
from perfboard.model.board.architecture import Need
from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError

_BEGIN = b"IKCFG_ST"
_LARGEST = 4 << 20
_SET = re.compile(r"^(CONFIG_\w+)=(.*)$", re.ASCII | re.MULTILINE)


_FLASH = (
    Need("its flash", ("CONFIG_MTD_CFI_INTELEXT",), ("cfi_cmdset_0001",)),
    Need(
        "its flash, by device tree",
        ("CONFIG_MTD_PHYSMAP_OF",),
        ("physmap_flash_", "of_flash_probe"),
    ),
    Need("the parts of its flash", ("CONFIG_MTD_CMDLINE_PARTS",), ("mtdpart_setup",)),
    Need("a root in its flash", ("CONFIG_MTD_BLOCK", "CONFIG_MTD_BLOCK_RO"), ("mtdblock_",)),
)
_SYSTEMS = {
    "squashfs": ("CONFIG_SQUASHFS", "squashfs_fill_super"),
    "cramfs": ("CONFIG_CRAMFS", "cramfs_"),
    "romfs": ("CONFIG_ROMFS_FS", "romfs_"),
    "jffs2": ("CONFIG_JFFS2_FS", "jffs2_"),
    "erofs": ("CONFIG_EROFS_FS", "erofs_"),
    "ext4": ("CONFIG_EXT4_FS", "ext4_"),
    CPIO: ("CONFIG_BLK_DEV_INITRD", "unpack_to_rootfs"),
}
# Linux 6.1, fs/squashfs/*_wrapper.c: the option, and the function that is there with it alone.
_SQUASHFS = {
    "gzip": ("ZLIB", "zlib_uncompress"),
    "lzo": ("LZO", "lzo_uncompress"),
    "xz": ("XZ", "squashfs_xz_uncompress"),
    "lz4": ("LZ4", "lz4_uncompress"),
    "zstd": ("ZSTD", "zstd_uncompress"),
}


def needs_of(board: VirtualBoard, roots: tuple[RootKind, ...]) -> tuple[Need, ...]:
    """A kernel's needs on that board, whose own root file systems are `roots`."""
    machine = board.machine.architecture.needs
    if isinstance(board, FlashBoard):
        in_flash = board.image.root is not None and "root=" not in board.image.kernel.arguments
        # A file that sets U-Boot's `bootargs` says where the root is, too.
        if in_flash and "bootargs" not in board.image.bootloader.variables:
            machine = (*machine, *_FLASH)
    return (*machine, *(need for kind in roots for need in _of_root(kind)))


def _of_root(kind: RootKind) -> Iterator[Need]:
    option, symbol = _SYSTEMS[kind.system]
    yield Need(f"a root in {kind.system}", (option,), (symbol,))
    name = kind.compressor
    if kind.system == "squashfs" and name in _SQUASHFS:
        option, symbol = _SQUASHFS[name]
        yield Need(f"a squashfs in {name}", (f"CONFIG_SQUASHFS_{option}",), (symbol,))
    elif kind.system == CPIO and name:
        unpacks = "gunzip" if name == "gzip" else "bunzip2" if name == "bzip2" else f"un{name}"
        yield Need(f"a cpio in {name}", (f"CONFIG_RD_{name.upper()}",), (unpacks,))


def check_needs(
    needs: tuple[Need, ...], kernel: bytes, system_map: SystemMap | None, file: str
) -> None:
    """Raises UsageError with the options that the kernel lacks, by its configuration or its map.

    A kernel that tells neither passes. `file` is its name, for the message.
    """
    config = configuration(kernel)
    if config is not None:
        by = "by the configuration in it"
        missing = [need for need in needs if not any(config.get(o) == "y" for o in need.options)]
    elif system_map is not None and system_map.addresses:
        by = "by its System.map"
        names = system_map.addresses
        missing = [
            need
            for need in needs
            if need.symbols and not any(name.startswith(need.symbols) for name in names)
        ]
    else:
        return
    if missing:
        modules = any((config or {}).get(o) == "m" for need in missing for o in need.options)
        raise UsageError(
            f"{file}: lacks, {by}, what the virtual machine needs: "
            + ", ".join(str(need) for need in missing)
            + ". Build the kernel with these set to y"
            + ("; a module comes too late" if modules else "")
        )


def configuration(kernel: bytes) -> dict[str, str] | None:
    """The options in a kernel's own copy of its configuration; None where it has none."""
    try:
        image = unpack_kernel(kernel)
    except UsageError:
        return None
    at = image.find(_BEGIN)
    if at < 0:
        return None
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        text = unpacker.decompress(image[at + len(_BEGIN) :], _LARGEST)
    except zlib.error:
        return None
    return options_of(text.decode("ascii", "replace"))


def options_of(config: str) -> dict[str, str]:
    """The options that the text of a configuration sets, each with its value."""
    return dict(_SET.findall(config))
