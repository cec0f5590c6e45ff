# SPDX-License-Identifier: Apache-2.0
"""The lines of a saved console log, with the stamps that were taken off them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple

from perfboard.analysis.boot.reading.screen import LONGEST_LINE
from perfboard.importers.base import SavedFile
from perfboard.model.errors import UsageError

MOST_LINES = 1_000_000
_STRETCH = 256
# A line of 300 baud; no console is slower.
_SLOWEST_NS = 33_333_333


class SavedLine(NamedTuple):
    """A line with its end as the board printed it, and its stamp; None for a line without one.

    `reset_ns` is not None for the line after which the board was reset: how long that took.
    """

    ns: int | None
    text: bytes
    reset_ns: int | None = None


@dataclass(frozen=True)
class SavedConsole:
    """A console log whose stamps were taken off its lines.

    `clock` is that of the stamps: of the machine that stored the log, or of the kernel itself. A
    stamp may be up to `resolution_ns` later than what it is of: the first byte of its line, or
    `at_end` the last.
    """

    lines: Sequence[SavedLine]
    clock: Literal["host", "kernel"] = "host"
    resolution_ns: int = 0
    at_end: bool = False
    # Whether the times of a kernel's clock count from where it begins.
    has_zero: bool = True
    notes: tuple[str, ...] = ()

    @cached_property
    def byte_ns(self) -> int:
        """The most that a byte takes: the least of any stretch of lines; 0 if none is long enough.

        A stretch is longer than the lines that an adapter hands over at once.
        """
        if self.clock == "kernel":
            return 0
        sizes = accumulate((len(line.text) for line in self.lines), initial=0)
        # A stamp at a line's end comes after that line's bytes.
        places = [*sizes][self.at_end :]
        known = [
            (line.ns, place)
            for line, place in zip(self.lines, places, strict=False)
            if line.ns is not None
        ]
        least, first = 0, 0
        for ns, place in known:
            while place - known[first][1] >= _STRETCH:
                since_ns, begin = known[first]
                byte_ns = max(ns - since_ns + self.resolution_ns, 1) // (place - begin)
                least = min(least or _SLOWEST_NS, byte_ns)
                first += 1
        return least

    @cached_property
    def error_ns(self) -> int:
        """How much later than the first byte of its line a stamp may be."""
        if not self.at_end:
            return self.resolution_ns
        longest = max((len(line.text) for line in self.lines), default=0)
        return self.resolution_ns + longest * self.byte_ns


def lines_of(file: SavedFile) -> list[bytes]:
    """The lines of a text file with their ends. Raises UsageError if there are too many."""
    data = file.text
    if data.count(b"\n") > MOST_LINES:
        raise UsageError(
            f"{file.path} has more than {MOST_LINES:,} lines; cut the boots out of it that are to "
            "be imported"
        )
    return [
        line[at : at + LONGEST_LINE]
        for line in data.splitlines(keepends=True)
        for at in range(0, len(line), LONGEST_LINE)
    ]
