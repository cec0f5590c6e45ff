# SPDX-License-Identifier: Apache-2.0
"""The bytes of one console in a file, and its lines as they come."""

import contextlib
import os
from pathlib import Path

from perfboard.instruments.base import Sighting
from perfboard.model.errors import TargetError
from perfboard.model.text import printable
from perfboard.model.units import format_size

# A guest that never ends a line must not make the recorder grow without bound.
LONGEST_LINE = 1 << 16
# Beyond what any board prints; one that prints for ever would fill the disk.
MOST_BYTES = 64 << 20


class ConsoleLog:
    """Writes `console.log`, and sights each line, also before it ends."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """A board that prints more than `most_bytes` is given up."""
        self._most_bytes = most_bytes
        self._line = b""
        self._tail: list[str] = []
        self._size = 0
        self._file = -1

    def open(self, artifacts: Path) -> None:
        """Makes the file in that folder, where there must be none."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._file = os.open(artifacts / "console.log", flags, 0o644)

    def add(self, data: bytes) -> list[Sighting]:
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
        *whole, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-LONGEST_LINE:]
        lines = [line.decode(errors="replace").strip("\r") for line in whole]
        self._tail = [*self._tail, *lines][-12:]
        sightings = [Sighting("line", "", line) for line in lines]
        if self._line:
            sightings.append(Sighting("prompt", "", self._line.decode(errors="replace")))
        return sightings

    def close(self) -> None:
        """Closes the file. May be called twice."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
        self._file = -1

    @property
    def tail(self) -> str:
        """The last lines, printable, for an error's message."""
        lines = [*self._tail, self._line.decode(errors="replace")]
        return printable("\n".join(line for line in lines if line.strip()))
