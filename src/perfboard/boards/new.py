# SPDX-License-Identifier: Apache-2.0
"""A board file for an image of the user's own, made from a board that there is."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from perfboard.boards.loader import load_board
from perfboard.boards.roots import CPIO, HEAD, RootKind, root_kind
from perfboard.model.board.board import NAME
from perfboard.model.board.flash import Flash, Region
from perfboard.model.board.image import DebianBootloader
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError
from perfboard.model.units import format_size

_TREE = b"\xd0\x0d\xfe\xed"
_HEADED = b"\x27\x05\x19\x56"
_BOOTABLE = "squashfs, cramfs, romfs, jffs2, erofs or a cpio archive"


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
        raise UsageError(f'{name}: give at most 40 of a-z, 0-9 and "-", the first no "-"')
    other = load_board(like).board
    if not isinstance(other, FlashBoard) or not isinstance(
        other.image.bootloader, DebianBootloader
    ):
        raise UsageError(f"--like {like}: needs a board with flash and Debian's U-Boot")
    if _head(own.kernel, "--kernel").startswith(_TREE):
        raise UsageError(
            f"--kernel {own.kernel}: is a device tree or a FIT image; the virtual machine brings "
            "its own tree. Give the kernel itself, a zImage, Image or uImage"
        )
    kind = _kind(own.root)
    flash = other.flash
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by Perfboard; docs/boards/boards.md lists the keys.",
        'schema = "perfboard.board/1"',
        f"name = {_quoted(name)}",
        f"title = {_quoted(f'{name}, timed as {other.name}')}",
        f"description = {_quoted(f'An own image on the virtual board {other.name}.')}",
        f"like = {_quoted(_named(like, folder))}",
        "",
        "[image.kernel]",
        f"file = {_quoted(_path(own.kernel, folder))}",
    ]
    if own.system_map:
        _head(own.system_map, "--system-map")
        lines.append(f"system_map = {_quoted(_path(own.system_map, folder))}")
    place = flash.root or flash.initrd
    if place is None:
        raise UsageError(f"--like {like}: its flash has no place for a root file system")
    part, other_part = ("initrd", "root") if kind.system == CPIO else ("root", "initrd")
    if part == "root":
        lines.append(f"arguments = {_quoted(f'rootfstype={kind.system}')}")
    else:
        lines += _bootloader(other, own.root)
    lines += ["", f"[image.{part}]", f"file = {_quoted(_path(own.root, folder))}"]
    lines += [
        "",
        "[boot]",
        "# exec:NAME is the start of a program, and needs the System.map.",
        f"usable = {_quoted(own.usable)}",
    ]
    regions = {
        "kernel": _region(flash, flash.kernel, own.kernel) or flash.kernel,
        part: _region(flash, place, own.root) or place,
    }
    changed = [
        f"{key} = {{ bank = {r.bank}, offset = {r.offset}, size = {r.size} }}"
        for key, r in regions.items()
        if r != getattr(flash, key)
    ]
    if getattr(flash, other_part) is not None:
        changed.append(f'{other_part} = "none"')
        at = lines.index("[image.kernel]")
        lines[at:at] = ["[image]", f'{other_part} = "none"', ""]
    if changed:
        lines += ["", "[flash]", *changed]
    return "\n".join(lines) + "\n"


def _bootloader(other: FlashBoard, root: Path) -> list[str]:
    """The board's bootloader, which copies an archive to memory as well."""
    # The kernel unpacks itself to the beginning of memory; U-Boot runs at the end.
    room = other.machine.ram // 4
    if root.stat().st_size > room:
        raise UsageError(
            f"--root {root}: has {format_size(root.stat().st_size)}, and an archive has room for "
            f"{format_size(room)} of this board's memory"
        )
    loader = other.image.bootloader
    table = loader.model_dump(mode="json", exclude_none=True, exclude={"variables"})
    table["initrd_address"] = other.machine.ram_base + other.machine.ram // 2
    lines = (f"{k} = {_quoted(v) if isinstance(v, str) else v}" for k, v in table.items())
    return ["", "[image.bootloader]", *lines]


def _head(path: Path, option: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}") from error


def _kind(root: Path) -> RootKind:
    head = _head(root, "--root")
    kind = root_kind(head)
    if kind is not None and kind.system != "ext4":
        return kind
    if kind is not None:
        raise UsageError(
            f"--root {root}: is ext4, which needs a disk, and kernels of others have no driver for "
            "this board's; make a squashfs of the same files: mksquashfs FOLDER rootfs.squashfs"
        )
    if head.startswith(_HEADED):
        raise UsageError(f"--root {root}: has a header for U-Boot; give the archive without it")
    raise UsageError(f"--root {root}: is none of {_BOOTABLE}")


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
