# SPDX-License-Identifier: Apache-2.0
"""How far the rows of a guide drift from one run to the next, as the other rows tell.

The samples of one run do not show what differs between runs: the clock's frequency, what else the
machine does, where memory lies. Most rows of two guides are of unchanged things, so their
differences beyond the noise inside the runs are that drift.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.analysis.statistics.bootstrap import process_medians
from perfboard.model.run import Metric

# The share of a normal distribution's deviation that half of its values lie within.
_HALF = statistics.NormalDist().inv_cdf(0.75)
# Rows that say something of their area.
_FEWEST = 5


@dataclass(frozen=True)
class _RowShift:
    """The logarithm of a row's ratio, and its standard error by the noise inside the runs."""

    by: float
    error: float


def drifts(pairs: Sequence[tuple[Metric, Metric]], areas: Sequence[str]) -> list[float]:
    """The share that each row drifts by, before and after; `areas` are those of the rows.

    It is the deviation of all rows from none, and of an area's rows from its own middle: so an area
    that changed as a whole is a change, and a guide that moved as a whole is drift. Source of the
    deviations: F. R. Hampel, "The influence curve and its role in robust estimation", Journal of
    the American Statistical Association 69 (1974), by the median of absolute deviations.
    """
    moved = [_moved(*pair) for pair in pairs]
    known = [each for each in moved if each]
    whole = _beyond(known, 0.0)
    within = {}
    for area in set(areas):
        own = [each for each, of in zip(moved, areas, strict=True) if each and of == area]
        chosen = own if len(own) >= _FEWEST else known
        middle = statistics.median(each.by for each in chosen) if chosen else 0.0
        within[area] = _beyond(chosen, middle)
    return [math.hypot(whole, within[area]) for area in areas]


def _moved(before: Metric, after: Metric) -> _RowShift | None:
    sides = [process_medians(before), process_medians(after)]
    if any(len(side) < 2 or min(side) <= 0 for side in sides):
        return None
    logs = [[math.log(value) for value in side] for side in sides]
    errors = [statistics.stdev(side) / math.sqrt(len(side)) for side in logs]
    return _RowShift(statistics.mean(logs[1]) - statistics.mean(logs[0]), math.hypot(*errors))


def _beyond(rows: Sequence[_RowShift], middle: float) -> float:
    """The deviation from `middle`, without the part that the noise inside the runs explains."""
    if len(rows) < _FEWEST:
        return 0.0
    deviation = statistics.median(abs(each.by - middle) for each in rows) / _HALF
    noise = statistics.median(each.error for each in rows)
    return math.sqrt(max(0.0, deviation**2 - noise**2))
