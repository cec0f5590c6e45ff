# SPDX-License-Identifier: Apache-2.0
"""Observers of a real board's boot besides its console: a logic analyser and a power meter."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from perfboard.analysis.boot.phases import cut_phases, total
from perfboard.analysis.formats.power_table import PowerTrace
from perfboard.analysis.power.figures import power_metrics
from perfboard.analysis.timeline.boots import clocks_of, joined_boot, out_of_order
from perfboard.analysis.timeline.energy import PhaseWindow, phase_power
from perfboard.analysis.timeline.join import join
from perfboard.analysis.timeline.source import SourceMarks
from perfboard.instruments.base import Instrument
from perfboard.instruments.logic.sigrok import CapturePlan, SigrokCapture
from perfboard.instruments.power.choose import open_meter
from perfboard.model.results.base import Result
from perfboard.model.results.boot import Boot
from perfboard.model.results.power import PowerResult
from perfboard.model.results.timeline import Sighting
from perfboard.model.run import Metric

# A meter of the kernel's is read so often.
_PERIOD_S = 0.002
_LINGERS_S = 0.5
_BEGAN = "capture.start"


class _LateMeter:
    """A meter that goes on for a while, so that its samples reach beyond the boot's end."""

    def __init__(self, meter: Instrument) -> None:
        self._meter = meter
        self.name, self.effect = meter.name, meter.effect
        self.prepare, self.start, self.fileno = meter.prepare, meter.start, meter.fileno
        self.read, self.findings = meter.read, meter.findings
        self._runs = True

    def stop(self) -> None:
        if self._runs:
            time.sleep(_LINGERS_S)
            self._runs = False
        self._meter.stop()


@dataclass
class BootInstruments:
    """The instruments of each boot besides its console; and what they found, boot by boot."""

    capture: CapturePlan | None = None
    channels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    power: str = ""
    volts: float | None = None
    results: list[Result] = field(default_factory=list)

    def instruments(self) -> list[Instrument]:
        """New ones, for the next boot. Raises UsageError or EnvironmentLacksError."""
        found: list[Instrument] = []
        if self.capture is not None:
            found.append(SigrokCapture(self.capture, self.channels))
        if self.power:
            found.append(_LateMeter(open_meter(self.power, _PERIOD_S, self.volts)))
        return found

    def join(self, number: int, boot: Boot, instruments: Sequence[Instrument]) -> Boot:
        """The boot on one timeline with what the instruments saw of it."""
        for each in instruments:
            if isinstance(each, SigrokCapture):
                boot = self._with_capture(number, boot, each)
        for each in instruments:
            if not isinstance(each, SigrokCapture):
                self._add_power(number, boot, each)
        return boot

    def metrics(self) -> tuple[Metric, ...]:
        """The energy and the highest current of each phase, a sample a boot."""
        powers = [each for each in self.results if isinstance(each, PowerResult)]
        found: dict[str, list[Metric]] = {}
        for result in powers:
            for metric in power_metrics(result):
                found.setdefault(metric.name, []).append(metric)
        return tuple(
            each[0].model_copy(update={"samples": tuple(m.samples[0] for m in each)})
            for each in found.values()
            if len(each) == len(powers)
        )

    def _with_capture(self, number: int, boot: Boot, capture: SigrokCapture) -> Boot:
        """Joins the clocks by their marks, and by the time at which the capture began."""
        console, own = f"console, boot {number}", f"capture, boot {number}"
        seen = capture.findings()
        if not seen.marks:
            return boot
        began_ns, error_ns = capture.began()
        host, *others = clocks_of(console, boot)
        began = Sighting(name=_BEGAN, t_ns=began_ns, precision_ns=error_ns)
        edges = tuple(
            Sighting(name=mark.name, t_ns=mark.t_ns, precision_ns=mark.precision_ns)
            for mark in seen.marks
        )
        first = Sighting(name=_BEGAN, t_ns=0, precision_ns=seen.marks[0].precision_ns)
        timeline = join(
            [
                SourceMarks(host.name, (*host.marks, began), host.bound_ppm),
                *others,
                SourceMarks(own, (first, *edges)),
            ]
        )
        marks = tuple(mark for mark in timeline.marks if mark.name != _BEGAN)
        timeline = timeline.model_copy(update={"marks": marks})
        joined = joined_boot(timeline, {console: boot, own: Boot(marks=seen.marks)})
        if words := out_of_order(joined):
            words = f"Boot {number}: {words}; are channels swapped? See --channel."
            timeline = timeline.model_copy(update={"notes": (*timeline.notes, words)})
        self.results.append(timeline)
        return joined

    def _add_power(self, number: int, boot: Boot, meter: Instrument) -> None:
        """The energy of the boot's phases. Meter and console have the same clock."""
        samples = {each.unit: each for each in meter.findings().samples}
        if not samples:
            return
        ns = next(iter(samples.values())).ns
        trace = PowerTrace(
            np.asarray(ns, dtype=np.float64) / 1e9,
            np.asarray(samples["A"].values) if "A" in samples else None,
            np.asarray(samples["W"].values) if "W" in samples else None,
        )
        if len(trace.seconds) < 2:
            return
        whole = total(boot)
        placed = [
            PhaseWindow(
                phase,
                phase.start.t_ns / 1e9,
                phase.end.t_ns / 1e9,
                phase.start.precision_ns / 1e9,
                phase.end.precision_ns / 1e9,
            )
            for phase in (*cut_phases(boot), *([whole] if whole else []))
        ]
        found, short = phase_power(trace, placed)
        self.results.append(
            PowerResult(
                source=f"{self.power}, boot {number}",
                period_s=trace.period_s,
                phases=tuple(found),
                too_slow=tuple(short),
            )
        )
