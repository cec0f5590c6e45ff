# SPDX-License-Identifier: Apache-2.0
"""A board file for an image of the user's own, made from a board that there is."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from perfboard.boards.loader import load_board
from perfboard.model.board.board import NAME
from perfboard.model.board.flash import Flash, Region
from perfboard.model.board.image import DebianBootloader
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError
from perfboard.model.units import format_size

# The offset of each file system's magic number, and the number.
_SYSTEMS = {
    "squashfs": (0, b"hsqs"),
    "cramfs": (0, b"\x45\x3d\xcd\x28"),
    "romfs": (0, b"-rom1fs-"),
    "jffs2": (0, b"\x85\x19"),
    "erofs": (1024, b"\xe2\xe1\xf5\xe0"),
}
_EXT4 = (0x438, b"\x53\xef")
_TREE = b"\xd0\x0d\xfe\xed"
_HEAD = 4096


@dataclass(frozen=True)
class OwnFiles:
    """The user's kernel, its System.map if there is one, and root file system.

    `usable` is as in a board file.
    """

    kernel: Path
    system_map: Path | None
    root: Path
    usable: str


def board_text(name: str, like: str, own: OwnFiles, folder: Path) -> str:
    """The text of a board file in `folder`, which boots those files, timed as the board `like`.

    Raises UsageError for a file that cannot be booted, or that has no room in the flash.
    """
    if not re.fullmatch(NAME, name):
        raise UsageError(f'{name}: wants at most 40 of a-z, 0-9 and "-", the first no "-"')
    other = load_board(like).board
    if not isinstance(other, FlashBoard) or not isinstance(
        other.image.bootloader, DebianBootloader
    ):
        raise UsageError(f"--like {like}: wants a board with flash and Debian's U-Boot")
    if _head(own.kernel, "--kernel").startswith(_TREE):
        raise UsageError(
            f"--kernel {own.kernel}: is a device tree or a FIT image; the virtual machine brings "
            "its own tree. Give the kernel itself, a zImage, Image or uImage"
        )
    system = _system(own.root)
    loader, flash = other.image.bootloader, other.flash
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by `perfboard boards new`; docs/boards.md lists the keys.",
        'schema = "perfboard.board/1"',
        f"name = {_quoted(name)}",
        f"title = {_quoted(f'{name}, timed as {other.name}')}",
        f"description = {_quoted(f'An own image on the virtual board {other.name}.')}",
        f"like = {_quoted(_named(like, folder))}",
        "",
        "[image.bootloader]",
        f"package = {_quoted(loader.package)}",
        f"path = {_quoted(loader.path)}",
        f"kernel_address = {loader.kernel_address:#x}",
        "",
        "[image.kernel]",
        f"file = {_quoted(_path(own.kernel, folder))}",
    ]
    if own.system_map:
        _head(own.system_map, "--system-map")
        lines.append(f"system_map = {_quoted(_path(own.system_map, folder))}")
    lines += [
        f"arguments = {_quoted(f'rootfstype={system}')}",
        "",
        "[image.root]",
        f"file = {_quoted(_path(own.root, folder))}",
        "",
        "[boot]",
        "# exec:NAME is the start of a program, and needs the System.map.",
        f"usable = {_quoted(own.usable)}",
    ]
    regions = [
        ("kernel", _region(flash, flash.kernel, own.kernel)),
        ("root", _region(flash, flash.root, own.root) if flash.root else None),
    ]
    if wider := [(key, region) for key, region in regions if region is not None]:
        lines += ["", "[flash]"]
        lines += [
            f"{key} = {{ bank = {r.bank}, offset = {r.offset}, size = {r.size} }}"
            for key, r in wider
        ]
    return "\n".join(lines) + "\n"


def _head(path: Path, option: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}") from error


def _system(root: Path) -> str:
    """The file system's name as the kernel knows it."""
    head = _head(root, "--root")
    for name, (at, magic) in _SYSTEMS.items():
        if head.startswith(magic, at):
            return name
    if head.startswith(_EXT4[1], _EXT4[0]):
        raise UsageError(
            f"--root {root}: is ext4, which needs a disk, and this board has flash; make a "
            "squashfs of the same files: mksquashfs FOLDER rootfs.squashfs"
        )
    raise UsageError(
        f"--root {root}: is none of {', '.join(_SYSTEMS)}; for a cpio archive, write image.initrd "
        "and flash.initrd in a board file (docs/own-images.md)"
    )


def _region(flash: Flash, region: Region, file: Path) -> Region | None:
    """The region, widened up to the next one for the file; None if the file fits as it is."""
    size = file.stat().st_size
    if size <= region.size:
        return None
    after = [
        each.offset
        for each in flash.regions().values()
        if each.bank == region.bank and each.offset > region.offset
    ]
    room = min([*after, flash.banks[region.bank].size]) - region.offset
    if size > room:
        raise UsageError(
            f"{file}: has {format_size(size)}, and the flash has room for {format_size(room)}"
        )
    return region.model_copy(update={"size": room})


def _named(board: str, folder: Path) -> str:
    return _path(Path(board), folder) if "/" in board or board.endswith(".toml") else board


def _path(path: Path, folder: Path) -> str:
    """The path as seen from the folder, with "./" so that it is not taken for a name."""
    return os.path.join(".", os.path.relpath(path.expanduser(), folder))  # noqa: PTH118


def _quoted(text: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
