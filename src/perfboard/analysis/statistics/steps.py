# SPDX-License-Identifier: Apache-2.0
"""The steps in a series: where its level changed for good, as apart from its noise."""

import math
import statistics
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# A step has to spare this many times the noise of a value, and log(n) times that. Chosen on
# series of normal noise, so that noise alone seldom gives a step; benchmarks/steps.py counts.
_PENALTY = 2.0
# From the median of the differences of neighbours to the mean deviation of normal noise.
_DEVIATION = math.sqrt(2 / math.pi) / (0.6745 * math.sqrt(2))


@dataclass(frozen=True)
class Segment:
    """Values `start` to `stop` (not included) of a series, whose median is `level`."""

    start: int
    stop: int
    level: float


def segments(values: Sequence[float], fewest: int = 2, least: float = 0.0) -> list[Segment]:
    """The piecewise constant series that fits `values` best, by the sum of deviations.

    Each segment has `fewest` values at least, and costs a penalty that grows with the noise, which
    is estimated from the differences of neighbours. Levels of neighbouring segments differ by more
    than the share `least`.

    Source: F. Friedrich, A. Kempe, V. Liebscher and G. Winkler, "Complexity penalized
    M-estimation: fast computation", Journal of Computational and Graphical Statistics 17 (2008);
    with absolute deviations, as airspeed velocity (asv) fits its results.
    """
    if not values:
        return []
    penalty = _penalty(values)
    n = len(values)
    best = [0.0] + [math.inf] * n
    start_of = [0] * (n + 1)
    for start in range(n - fewest + 1):
        if best[start] == math.inf:
            continue
        known: list[float] = []
        cost = best[start] + (penalty if start else 0.0)
        for stop in range(start + 1, n + 1):
            cost += _distance(known, values[stop - 1])
            # No later end of this segment can be the best either.
            if cost > best[n] and best[n] < math.inf:
                break
            insort(known, values[stop - 1])
            if len(known) >= fewest and cost < best[stop]:
                best[stop], start_of[stop] = cost, start
    cuts, stop = [n], n
    while stop:
        stop = start_of[stop]
        cuts.append(stop)
    return _joined(values, cuts[::-1], least)


def _penalty(values: Sequence[float]) -> float:
    if len(values) < 3:
        return 0.0
    steps = [abs(b - a) for a, b in pairwise(values)]
    noise = _DEVIATION * statistics.median(steps)
    return _PENALTY * noise * math.log(len(values))


def _distance(known: Sequence[float], value: float) -> float:
    """How much `value` adds to the deviations from the median of the sorted `known`.

    All points between the two middle values have the same sum of deviations.
    """
    if not known:
        return 0.0
    low, high = known[(len(known) - 1) // 2], known[len(known) // 2]
    return max(0.0, low - value, value - high)


def _joined(values: Sequence[float], cuts: list[int], least: float) -> list[Segment]:
    """The segments between `cuts`, of which those that differ by `least` or less are joined.

    Those are joined too whose border is misplaced for lack of as many values as a segment needs.
    """
    while True:
        found = [Segment(a, b, statistics.median(values[a:b])) for a, b in pairwise(cuts)]
        shares = [_share(values, one, two) for one, two in pairwise(found)]
        if not shares or min(shares) > least:
            return found
        del cuts[1 + shares.index(min(shares))]


def _share(values: Sequence[float], one: Segment, two: Segment) -> float:
    """The step as a share of the level before; 0 if a value next to it is of the other side."""
    before, after = one.level, two.level
    last, first = values[two.start - 1], values[two.start]
    if abs(last - before) > abs(last - after) or abs(first - after) >= abs(first - before):
        return 0.0
    return abs(after - before) / abs(before) if before else math.inf
