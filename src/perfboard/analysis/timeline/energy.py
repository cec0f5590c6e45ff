# SPDX-License-Identifier: Apache-2.0
"""The energy of each phase of a boot, from a meter's samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perfboard.analysis.boot.phases import PhaseTime, cut_phases, total
from perfboard.analysis.formats.power_table import PowerTrace
from perfboard.analysis.timeline.boots import on_clock, zero_of
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.results.power import PhasePower, PowerResult
from perfboard.model.results.timeline import TimelineResult
from perfboard.model.run import Metric
from perfboard.model.units import format_value

# A phase with fewer samples has no energy: a meter that slow sees one by accident.
LEAST_SAMPLES = 10


@dataclass(frozen=True)
class Placed:
    """A phase on the meter's clock, in s; each end may be off by its error."""

    phase: PhaseTime
    start_s: float
    end_s: float
    start_error_s: float
    end_error_s: float


def phase_power(trace: PowerTrace, placed: Sequence[Placed]) -> tuple[list[PhasePower], list[str]]:
    """The energy and highest current of each phase, and the titles of those that are too short.

    The energy is the area under straight lines between samples. Its error bounds the power between
    two samples by them, and adds what the phase's ends may be off by, at the highest power there.
    A phase that the trace does not have whole is left out.
    """
    found, short = [], []
    for each in placed:
        inside = (trace.seconds >= each.start_s) & (trace.seconds <= each.end_s)
        whole = trace.seconds[0] <= each.start_s and each.end_s <= trace.seconds[-1]
        if not whole:
            continue
        count = int(inside.sum())
        if count < LEAST_SAMPLES:
            short.append(each.phase.title)
            continue
        joules = error = highest = highest_error = None
        if trace.watts is not None:
            joules, error = _energy(trace.seconds, trace.watts, each)
        if trace.amperes is not None:
            own = trace.amperes[inside]
            at = int(np.argmax(own))
            highest = float(own[at])
            # The current may have been higher between two samples: by as much as it changed.
            beside = own[max(at - 1, 0) : at + 2]
            highest_error = float(np.abs(np.diff(beside)).max())
        found.append(
            PhasePower(
                name=each.phase.name,
                title=each.phase.title,
                seconds=each.end_s - each.start_s,
                samples=count,
                joules=joules,
                joules_error=error,
                highest_a=highest,
                highest_error_a=highest_error,
            )
        )
    return found, short


def _energy(seconds: np.ndarray, watts: np.ndarray, each: Placed) -> tuple[float, float]:
    inside = (seconds > each.start_s) & (seconds < each.end_s)
    times = np.concatenate([[each.start_s], seconds[inside], [each.end_s]])
    powers = np.interp(times, seconds, watts)
    steps = np.diff(times)
    joules = float((steps * (powers[1:] + powers[:-1]) / 2).sum())
    error = float((steps * np.abs(np.diff(powers)) / 2).sum())
    # The lines to the two samples outside may hide a step too.
    for at_s, off_s in ((each.start_s, each.start_error_s), (each.end_s, each.end_error_s)):
        near = np.searchsorted(seconds, [at_s - off_s, at_s + off_s])
        around = watts[max(near[0] - 1, 0) : near[1] + 1]
        period = float(np.diff(seconds[max(near[0] - 1, 0) : near[1] + 1]).max(initial=0.0))
        error += float(around.max()) * off_s + float(np.ptp(around)) * period / 2
    return joules, error


def power_of(
    name: str, trace: PowerTrace, boot: Boot, timeline: TimelineResult
) -> tuple[PowerResult, list[str]]:
    """The energy of the boot's phases by the trace on the clock `name`, and sentences on it."""
    fit = next((clock.fit for clock in timeline.clocks if clock.name == name), None)
    whole = total(boot)
    phases = [*cut_phases(boot), *([whole] if whole else [])]
    notes: list[str] = []
    placed: list[Placed] = []
    if fit is None:
        notes.append(f"{name} is joined to no other clock: its energy has no phases.")
    else:
        zero_ns = zero_of(timeline)

        def place(mark: Mark) -> tuple[float, float]:
            t_ns, error_ns = on_clock(fit, mark.t_ns + zero_ns)
            return t_ns / 1e9, (error_ns + mark.precision_ns) / 1e9

        for phase in phases:
            (start_s, start_error_s), (end_s, end_error_s) = place(phase.start), place(phase.end)
            placed.append(Placed(phase, start_s, end_s, start_error_s, end_error_s))
    found, short = phase_power(trace, placed)
    if short:
        notes.append(
            f"{name} has a sample every {format_value(trace.period_s, 's')}, too slow for "
            f"{', '.join(short)}: a phase needs {LEAST_SAMPLES} samples."
        )
    cut = len(placed) - len(found) - len(short)
    if cut:
        notes.append(f"{name} does not last over the whole of {cut} phases; they have no energy.")
    if trace.watts is None:
        notes.append(f"{name} has currents alone: state the supply's voltage with --volts.")
    result = PowerResult(
        source=name, period_s=trace.period_s, phases=tuple(found), too_slow=tuple(short)
    )
    return result, notes


def power_metrics(result: PowerResult) -> tuple[Metric, ...]:
    """Energy in J and highest current in A of each phase that has them."""
    found = []
    for phase in result.phases:
        if phase.joules is not None:
            found.append(Metric(name=f"{phase.name}.energy", unit="J", samples=(phase.joules,)))
        if phase.highest_a is not None:
            found.append(Metric(name=f"{phase.name}.current", unit="A", samples=(phase.highest_a,)))
    return tuple(found)
