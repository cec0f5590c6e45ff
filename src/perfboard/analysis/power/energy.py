# SPDX-License-Identifier: Apache-2.0
"""The energy between a meter's first reading and its last one."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from perfboard.analysis.power.area import area
from perfboard.analysis.power.meter import Meter, MeterChannel
from perfboard.model.results.power import Energy
from perfboard.model.units import format_value

# A phase with fewer samples has no energy: a meter that slow sees one by accident.
LEAST_SAMPLES = 10
# Readings are missing where two are further apart than this many periods.
_GAP = 5

# The time in ns, and the number of each file of the meter; None for one that was not readable.
Reading = tuple[int, tuple[int | None, ...]]


def slowest_s(shortest_s: float) -> float:
    """The longest time between samples that shows the energy of a phase of `shortest_s`."""
    return shortest_s / LEAST_SAMPLES


def has_gap(seconds: np.ndarray, period_s: float) -> bool:
    """Whether samples are missing that were to be `period_s` apart: too many for a phase."""
    longest = float(np.diff(seconds).max(initial=0.0))
    return longest > _GAP * period_s and longest > slowest_s(float(np.ptp(seconds)))


def energies(meter: Meter, readings: Sequence[Reading], period_s: float) -> list[Energy]:
    """The energy of each channel, between the first reading and the last; then of the whole.

    They were to be `period_s` apart. Raises ValueError, with the reason, where they do not show
    it: fewer than `LEAST_SAMPLES` values of a meter that counts no energy, a gap, a time that
    goes back, a file that could not be read.
    """
    if len(readings) < 2:
        raise ValueError(f"{meter.name} was read {len(readings)} times")
    ns = np.array([each for each, _ in readings], dtype=np.int64)
    if (np.diff(ns) < 0).any():
        raise ValueError(f"the times of {meter.name} go back")
    seconds = (ns - ns[0]) / 1e9
    found = [_energy(meter, each, seconds, readings, period_s) for each in meter.channels]
    parts = [each for each, channel in zip(found, meter.channels, strict=True) if channel.total]
    if len(parts) > 1:
        found.append(
            Energy(
                name="total",
                seconds=parts[0].seconds,
                joules=sum(each.joules for each in parts),
                error=sum(each.error for each in parts),
            )
        )
    return found


def _energy(
    meter: Meter,
    channel: MeterChannel,
    seconds: np.ndarray,
    readings: Sequence[Reading],
    period_s: float,
) -> Energy:
    places = [meter.files.index(file) for file in channel.files]
    rows = [[row[place] for place in places] for _, row in readings]
    if any(value is None for row in rows for value in row):
        raise ValueError(f"{channel.name} of {meter.name} could not be read all the time")
    whole_s = float(seconds[-1])
    if channel.unit == "J":
        joules, error = _counted(channel, [row[0] or 0 for row in rows], seconds, meter.renewed_s)
        return Energy(name=channel.name, seconds=whole_s, joules=joules, error=error)
    values = np.abs(np.array(rows, dtype=float).prod(axis=1)) * channel.scale
    _check(meter, channel, seconds, values, period_s)
    joules, error = area(seconds, values, 0.0, whole_s)
    return Energy(name=channel.name, seconds=whole_s, joules=joules, error=error)


def _counted(
    channel: MeterChannel, values: Sequence[int], seconds: np.ndarray, renewed_s: float | None
) -> tuple[float, float]:
    """The sum of a counter's steps, which is exact, and the energy of a step at each end."""
    whole, steps = round(channel.range_j / channel.scale), []
    for before, after in pairwise(values):
        if after < before and not whole:
            raise ValueError(f"the energy of {channel.name} goes back")
        steps.append((after - before) % whole if whole and after < before else after - before)
    joules = np.array(steps, dtype=float) * channel.scale
    watts = joules / np.maximum(np.diff(seconds), 1e-9)
    error = (float(watts[0]) + float(watts[-1])) * (renewed_s or 0.0)
    return sum(steps) * channel.scale, error


def _check(
    meter: Meter, channel: MeterChannel, seconds: np.ndarray, values: np.ndarray, period_s: float
) -> None:
    whole_s = float(seconds[-1])
    if has_gap(seconds, period_s):
        longest = float(np.diff(seconds).max())
        raise ValueError(f"{meter.name} was not read for {format_value(longest, 's')}")
    if meter.renewed_s is None:
        seen = 1 + int(np.count_nonzero(np.diff(values)))
    else:
        seen = len(values)
        if meter.renewed_s:
            seen = min(seen, int(whole_s / meter.renewed_s) + 1)
    if seen < LEAST_SAMPLES:
        raise ValueError(
            f"{channel.name} of {meter.name} had {seen} values in {format_value(whole_s, 's')}, "
            f"which needs one each {format_value(slowest_s(whole_s), 's')}"
        )
