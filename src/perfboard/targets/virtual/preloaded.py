# SPDX-License-Identifier: Apache-2.0
"""A program that lies in a virtual board from the start, where a push would bring it.

Over the console, each byte of a file is worth thousands of instructions of the guest.
"""

import shlex
from pathlib import Path

from perfboard.model.board.disk import Disk
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


class LaidShell:
    """A Shell over another, whose `push` of the laid program copies it from where it lies."""

    def __init__(self, shell: Shell, laid: bytes, place: int, on_disk: bool) -> None:
        """`laid` lies `place` times its size into the disk, or the flash's partition for root."""
        self._shell = shell
        self._laid = laid
        self._place = place
        self._find = _ON_DISK if on_disk else _IN_FLASH
        self.run = shell.run
        self.hold = shell.hold
        self.start = shell.start

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        """See `targets.base.Shell`."""
        if data == self._laid:
            script = self._find + _COPY.format(
                size=len(data), skip=self._place, path=shlex.quote(path)
            )
            if self._shell.run(script, timeout_s=_COPIED_S).status == 0:
                return
        self._shell.push(data, path, progress)


def lay(board: FlashBoard, bank: Path, program: bytes, laid: Path) -> int | None:
    """Writes the bank that holds the root file system to `laid`, with `program` behind that.

    Returns the program's place for `LaidShell`; None, and writes nothing, where the region
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
    with laid.open("wb") as file:
        file.truncate(len(content))
        for at in range(0, len(content), _BLOCK):
            block = content[at : at + _BLOCK]
            if any(block):
                file.seek(at)
                file.write(block)
    return place


def lay_on_disk(disk: Disk, root: Path, program: bytes, laid: Path) -> int | None:
    """Writes the disk's content to `laid`: the root file system, with `program` behind that.

    Returns as `lay` does.
    """
    place = -(-root.stat().st_size // len(program))
    if (place + 1) * len(program) > disk.size:
        return None
    with laid.open("wb") as file:
        file.write(root.read_bytes())
        file.seek(place * len(program))
        file.write(program)
    return place
