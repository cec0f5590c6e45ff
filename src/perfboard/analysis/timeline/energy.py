# SPDX-License-Identifier: Apache-2.0
"""The energy of each phase of a boot, from a meter's samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perfboard.analysis.boot.phase_time import PhaseTime
from perfboard.analysis.boot.phases import cut_phases, total
from perfboard.analysis.formats.power_table import PowerTrace
from perfboard.analysis.power.area import area
from perfboard.analysis.power.energy import LEAST_SAMPLES, has_gap
from perfboard.analysis.timeline.boots import on_clock, zero_of
from perfboard.analysis.timeline.curve import power_curve
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.results.power import PhasePower, PowerResult
from perfboard.model.results.timeline import TimelineResult
from perfboard.model.units import format_value


@dataclass(frozen=True)
class PhaseWindow:
    """A phase on the meter's clock, in s; each end may be off by its error."""

    phase: PhaseTime
    start_s: float
    end_s: float
    start_error_s: float
    end_error_s: float


def phase_power(
    trace: PowerTrace, placed: Sequence[PhaseWindow]
) -> tuple[list[PhasePower], list[str]]:
    """The energy and highest current of each phase, and the titles of those that are too short.

    The energy is that of `analysis.power.area`. A phase that the trace does not have whole, or
    with a gap, is left out.
    """
    found, short = [], []
    for each in placed:
        inside = (trace.seconds >= each.start_s) & (trace.seconds <= each.end_s)
        whole = trace.seconds[0] <= each.start_s and each.end_s <= trace.seconds[-1]
        if not whole or has_gap(trace.seconds[inside], trace.period_s):
            continue
        count = int(inside.sum())
        if count < LEAST_SAMPLES:
            short.append(each.phase.title)
            continue
        joules = error = highest = highest_error = None
        if trace.watts is not None:
            joules, error = area(
                *(trace.seconds, trace.watts, each.start_s, each.end_s),
                *(each.start_error_s + trace.width_s / 2, each.end_error_s + trace.width_s / 2),
            )
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
                start_s=each.start_s - placed[0].start_s,
                samples=count,
                joules=joules,
                joules_error=error,
                highest_a=highest,
                highest_error_a=highest_error,
            )
        )
    return found, short


def power_of(
    name: str, trace: PowerTrace, boot: Boot, timeline: TimelineResult
) -> tuple[PowerResult, list[str]]:
    """The energy of the boot's phases by the trace on the clock `name`, and sentences on it."""
    fit = next((clock.fit for clock in timeline.clocks if clock.name == name), None)
    whole = total(boot)
    phases = [*cut_phases(boot), *([whole] if whole else [])]
    notes: list[str] = []
    placed: list[PhaseWindow] = []
    if fit is None:
        notes.append(f"{name} is joined to no other clock: its energy has no phases.")
    else:
        zero_ns = zero_of(timeline)

        def place(mark: Mark) -> tuple[float, float]:
            t_ns, error_ns = on_clock(fit, mark.t_ns + zero_ns)
            return t_ns / 1e9, (error_ns + mark.precision_ns) / 1e9

        for phase in phases:
            (start_s, start_error_s), (end_s, end_error_s) = place(phase.start), place(phase.end)
            placed.append(PhaseWindow(phase, start_s, end_s, start_error_s, end_error_s))
    found, short = phase_power(trace, placed)
    if short:
        notes.append(
            f"{name} has a sample every {format_value(trace.period_s, 's')}, too slow for "
            f"{', '.join(short)}: a phase needs {LEAST_SAMPLES} samples."
        )
    cut = len(placed) - len(found) - len(short)
    if cut:
        notes.append(
            f"{name} begins late, ends early or has a gap in {cut} phases; they have no energy."
        )
    if trace.watts is None:
        notes.append(f"{name} has currents alone: state the supply's voltage with --volts.")
    result = PowerResult(
        source=name,
        period_s=trace.period_s,
        phases=tuple(found),
        too_slow=tuple(short),
        curve=power_curve(trace, placed[0].start_s, placed[-1].end_s) if placed else (),
        curve_unit="A" if trace.watts is None else "W",
    )
    return result, notes
