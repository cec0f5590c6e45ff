# SPDX-License-Identifier: Apache-2.0
"""A meter that the target knows nothing of, by the file that its own program writes meanwhile."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from perfboard.analysis.wakeups.meter_file import MeterSpan, energy_in, spans
from perfboard.instruments.base import Samples, host_ns
from perfboard.instruments.power.file_meter import FileMeter
from perfboard.model.results.wakeups import Playback

_LONGER_S, _MOST_LONGER_S = 0.3, 3.0


class MeterFile:
    """Follows the file while playbacks run, and gives them their energies at the end."""

    def __init__(self, path: Path, volts: float | None) -> None:
        """`volts` is the supply, for a file of currents alone."""
        self._name = path.name
        self._meter = FileMeter(path, volts)
        self._spans: list[MeterSpan | None] = []
        self._start_ns = 0

    @contextmanager
    def running(self, artifacts: Path) -> Iterator[None]:
        """Raises EnvironmentLacksError where the file is not there, or is no table of a meter."""
        self._meter.prepare(artifacts)
        self._start_ns = host_ns()
        self._meter.start()
        try:
            yield
        finally:
            self._meter.stop()

    def now_s(self) -> float:
        """The time since the start."""
        return (host_ns() - self._start_ns) / 1e9

    def note(self, began_s: float, output: str, count: int) -> None:
        """The `count` playbacks of a script that began so, and has just ended."""
        found = spans(output, began_s, self.now_s())
        self._spans += found if len(found) == count else [None] * count

    def with_energies(self, playbacks: Sequence[Playback]) -> list[Playback]:
        """The playbacks with their energies, or with the reason where there is none.

        The file is followed a little longer, so that it has the last playback whole.
        """
        errors = [span.error_s for span in self._spans if span is not None]
        time.sleep(min(_MOST_LONGER_S, max(errors, default=0.0) + _LONGER_S))
        self._meter.stop()
        findings = self._meter.findings()
        power = next((each for each in findings.samples if each.unit == "W"), None)
        reason = " ".join(findings.notes)
        if power is None and not reason:
            reason = f"{self._name} has currents alone: state the supply's voltage with --volts"
        return [
            self._with_energy(each, span, power, reason)
            for each, span in zip(playbacks, self._spans, strict=False)
        ]

    def _with_energy(
        self, playback: Playback, span: MeterSpan | None, power: Samples | None, reason: str
    ) -> Playback:
        if playback.refused:
            return playback
        if span is None:
            reason = "the target did not say its time"
        if power is None or span is None:
            return playback.model_copy(update={"no_energy": reason})
        try:
            seconds = np.array(power.ns, dtype=float) / 1e9
            found = energy_in(self._name, seconds, np.array(power.values), span)
        except ValueError as error:
            return playback.model_copy(update={"no_energy": str(error)})
        return playback.model_copy(update={"energies": (found,)})
