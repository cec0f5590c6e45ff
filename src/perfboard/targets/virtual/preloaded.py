# SPDX-License-Identifier: Apache-2.0
"""A program preloaded in the image of a virtual board.

A push over the console takes the guest thousands of instructions for each byte.
"""

import shlex
from pathlib import Path

from perfboard.model.board.virtual import FlashBoard
from perfboard.model.progress import Progress
from perfboard.targets.base import Shell

_BLOCK = 4096
_COPIED_S = 60.0
# The kernel numbers the partitions; the shell has no other word for the one that root lies in.
_IN_FLASH = """\
n=$(sed -n 's/^mtd\\([0-9]*\\): .*"root"$/\\1/p' /proc/mtd) && test "$n" && from=/dev/mtdblock$n &&
"""
_ON_DISK = "from=/dev/pbd &&\n"
_COPY = """\
umask 077 && dd if=$from of={path} bs={size} skip={skip} count=1 2>/dev/null &&
chmod 700 {path}
"""


class PreloadedShell:
    """A Shell over another; it pushes the preloaded program by a copy on the board."""

    def __init__(self, shell: Shell, program: bytes, place: int, on_disk: bool) -> None:
        """`program` is `place` times its size into the disk, or the flash's partition for root."""
        self._shell = shell
        self._program = program
        self._place = place
        self._find = _ON_DISK if on_disk else _IN_FLASH
        self.run = shell.run
        self.hold = shell.hold
        self.start = shell.start

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        if data == self._program:
            script = self._find + _COPY.format(
                size=len(data), skip=self._place, path=shlex.quote(path)
            )
            if self._shell.run(script, timeout_s=_COPIED_S).status == 0:
                return
        self._shell.push(data, path, progress)


def preload_flash(board: FlashBoard, bank: Path, program: bytes, to: Path) -> int | None:
    """Writes to `to` the bank with the root file system, and `program` after that.

    Returns the program's place for `PreloadedShell`. Writes nothing and returns None if the region
    has no room left for it.
    """
    region = board.flash.root
    if region is None:
        return None
    place = region.size // len(program) - 1
    content = bytearray(bank.read_bytes())
    start = region.offset + place * len(program)
    end = start + len(program)
    if place < 0 or any(content[start:end]):
        return None
    content[start:end] = program
    with to.open("wb") as file:
        file.truncate(len(content))
        for at in range(0, len(content), _BLOCK):
            block = content[at : at + _BLOCK]
            if any(block):
                file.seek(at)
                file.write(block)
    return place


def preload_disk(size: int, root: Path, program: bytes, to: Path) -> int | None:
    """Writes to `to` the disk of `size` bytes: the root file system, and `program` after that.

    Returns as `preload_flash` does.
    """
    place = -(-root.stat().st_size // len(program))
    if (place + 1) * len(program) > size:
        return None
    with to.open("wb") as file:
        file.write(root.read_bytes())
        file.seek(place * len(program))
        file.write(program)
    return place
