# SPDX-License-Identifier: Apache-2.0
"""The console of a real board, on a line of this machine."""

import io
from array import array
from pathlib import Path
from typing import Protocol, TextIO

from perfboard.analysis.boot.reading.console import Stamps
from perfboard.instruments.base import InstrumentFindings, InstrumentSighting, host_ns
from perfboard.instruments.console_log import ConsoleLog


class ReadableLine(Protocol):
    """A line that a board's bytes arrive on; its owner opens and closes it."""

    def fileno(self) -> int:
        """The descriptor that is readable when there is something to read."""

    def read(self, timeout_s: float) -> bytes:
        """The bytes that came, waiting at most `timeout_s`. Raises TargetError("lost", ...)."""


class SerialConsole:
    """Writes the bytes to `console.log`, and to `stamps.txt` when each portion came."""

    name = "serial console"
    effect = (
        "The times are when this machine read the console. An adapter between it and the board, "
        "as for USB, may deliver bytes some ms late, by its driver's own settings."
    )

    def __init__(self, line: ReadableLine) -> None:
        self._line = line
        self._log = ConsoleLog()
        self._stamps: TextIO = io.StringIO()
        self._console: Path | None = None
        self._times, self._ends = array("q"), array("I")
        self._zero_ns = 0

    def prepare(self, artifacts: Path) -> None:
        """Makes both files. The line is open already."""
        self._log.open(artifacts)
        self._console = artifacts / "console.log"
        self._stamps = (artifacts / "stamps.txt").open("x")

    def start(self) -> None:
        """Times count from here."""
        self._zero_ns = host_ns()

    def fileno(self) -> int:
        """The line's descriptor."""
        return self._line.fileno()

    def read(self) -> list[InstrumentSighting]:
        """Stores what came with the time at which it was read; sights its lines."""
        data = self._line.read(0)
        now_ns = host_ns() - self._zero_ns
        if not data:
            return []
        self._times.append(now_ns)
        self._ends.append(len(data) + (self._ends[-1] if self._ends else 0))
        self._stamps.write(f"{now_ns} {len(data)}\n")
        return self._log.add(data)

    def stop(self) -> None:
        """Closes both files."""
        self._stamps.close()
        self._log.close()

    def findings(self) -> InstrumentFindings:
        """The console's bytes, and when each portion of them came."""
        return InstrumentFindings(
            "host", console=self._console, stamps=Stamps(self._times, ends=self._ends)
        )
