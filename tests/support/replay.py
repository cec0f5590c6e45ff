# SPDX-License-Identifier: Apache-2.0
"""An instrument that plays the recording of a console, all of it at once."""

import os
from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from perfboard.analysis.boot.reading.console import Stamps
from perfboard.instruments.base import InstrumentFindings, InstrumentSighting
from perfboard.model.results.boot import Mark


class Replay:
    """Its findings have the times of the recording, and the marks that it is given."""

    name = "recording"
    effect = "The times are those of a recording."

    def __init__(
        self, console: bytes = b"", stamps: Stamps | None = None, marks: Sequence[Mark] = ()
    ) -> None:
        """Without `stamps`, all came at once with the start."""
        stamps = stamps or Stamps(array("q", bytes(8 * len(console))))
        self._findings = InstrumentFindings(
            "host", tuple(marks), (), ("It was replayed.",), stamps=stamps
        )
        self._console = console
        self._reader = self._writer = -1
        self._lines = console.decode(errors="replace").splitlines()

    def prepare(self, artifacts: Path) -> None:
        path = artifacts / "replayed"
        with path.open("xb") as file:
            file.write(self._console)
        self._findings = replace(self._findings, console=path)
        self._reader, self._writer = os.pipe()

    def start(self) -> None:
        os.write(self._writer, b"!")

    def fileno(self) -> int:
        return self._reader

    def read(self) -> list[InstrumentSighting] | None:
        if not self._lines:
            return None
        lines, self._lines = self._lines, []
        return [InstrumentSighting("line", "", line) for line in lines]

    def stop(self) -> None:
        for descriptor in {self._reader, self._writer} - {-1}:
            os.close(descriptor)
        self._reader = self._writer = -1

    def findings(self) -> InstrumentFindings:
        return self._findings
