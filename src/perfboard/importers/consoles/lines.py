# SPDX-License-Identifier: Apache-2.0
"""The lines of a saved console log, with the stamps that were taken off them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from perfboard.analysis.boot.reading.screen import LONGEST_LINE
from perfboard.importers.base import SavedFile
from perfboard.model.errors import UsageError

MOST_LINES = 1_000_000


class SavedLine(NamedTuple):
    """A line with its end as the board printed it, and its stamp; None for a line without one.

    `reset_ns` is not None for the line behind which the board was reset: how long that took.
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
