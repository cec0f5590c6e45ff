# SPDX-License-Identifier: Apache-2.0
"""The bytes of one console in a file, and its lines as they come."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from perfboard.analysis.boot.reading.screen import ScreenLine, TerminalScreen
from perfboard.instruments.base import InstrumentSighting
from perfboard.model.errors import TargetError
from perfboard.model.text import printable
from perfboard.model.units import format_size

# Beyond what any board prints; one that prints for ever would fill the disk.
MOST_BYTES = 64 << 20


def sightings_of(
    rows: Sequence[ScreenLine], pending: ScreenLine | None
) -> list[InstrumentSighting]:
    """The sightings of rows that ended, and of one that has not.

    A line has one, as a person reads it, and so has each kernel record on it. A program's line that
    records were printed into has another one when it is whole.
    """
    lines = [
        InstrumentSighting("line", "", reading.text) for row in rows for reading in row.readings()
    ]
    prompts = pending.readings() if pending else ()
    return [*lines, *(InstrumentSighting("prompt", "", reading.text) for reading in prompts)]


class ConsoleLog:
    """Writes `console.log`, and sights each line, also before it ends."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """A board that prints more than `most_bytes` is given up."""
        self._most_bytes = most_bytes
        self._screen = TerminalScreen()
        self._tail: list[str] = []
        self._size = 0
        self._file = -1

    def open(self, artifacts: Path) -> None:
        """Makes the file in that folder, where there must be none."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._file = os.open(artifacts / "console.log", flags, 0o644)

    def add(self, data: bytes) -> list[InstrumentSighting]:
        """Stores the bytes that came, once the file is open; sights their lines.

        Raises TargetError("flood", ...) where the board has printed more than anyone reads.
        """
        self._size += len(data)
        if self._size > self._most_bytes:
            raise TargetError(
                "flood",
                f"The board has printed more than {format_size(self._most_bytes)} on its console. "
                "Stop what prints without end.",
                self.tail,
            )
        written = 0
        while written < len(data):
            written += os.write(self._file, data[written:])
        rows = self._screen.add(data)
        self._tail = [*self._tail, *(row.text for row in rows[-12:])][-12:]
        return sightings_of(rows, self._screen.pending)

    def close(self) -> None:
        """Closes the file. May be called twice."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
        self._file = -1

    @property
    def tail(self) -> str:
        """The last lines, printable, for an error's message."""
        pending = self._screen.pending
        lines = [*self._tail, pending.text if pending else ""]
        return printable("\n".join(line for line in lines if line.strip()))
