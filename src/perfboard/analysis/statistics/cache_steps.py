# SPDX-License-Identifier: Apache-2.0
"""The sizes at which memory latency rises: the caches."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

# A step makes latency at least this many times longer. The next cache does, by far; the first
# level of the TLB, which costs a few cycles on top of a cache's, does not.
LEAST_RATIO = 1.5
# A plateau spans at least this factor between its sizes, and rises by no more than this a doubling.
_PLATEAU = 1.9
_FLAT = 1.4
# The share of a step's height at which a size has left the plateau. In a cycle through x bytes, a
# cache of S that replaces at random misses in a share m of the reads with m = 1 - exp(-m x/S),
# since that is the chance of being replaced within a cycle: 0.45 at x = 4/3 S, the nearest that
# the next of two points an octave can lie. A cache that replaces the oldest misses always. Below
# this share, what shows is that pages are laid out unevenly over the cache's sets. Half of the way
# up by ratio is enough too: where others use the memory, the level above is ever so much higher.
_LEFT = 0.4
# Squared deviations of log latency that another segment must save, at least: those of two points
# that differ by two thirds.
_LEAST_PENALTY = 0.13
# More noise than this, as a share of latency, is not believed: it is a curve of few points.
_MOST_NOISE = 0.1
_MOST_POINTS = 400


@dataclass(frozen=True)
class Plateau:
    """A level of memory as it shows: sizes in bytes over which latency, in s, hardly changes.

    `latency_s` is the median over the sizes.
    """

    first: int
    last: int
    latency_s: float


@dataclass(frozen=True)
class CacheStep:
    """The latency leaves a plateau: at `low` bytes it is still on it, at `high` no longer.

    The cache that mostly ends there holds from `low` to `high` bytes. `before_s` and
    `after_s` are the latencies of the plateaus on both sides, in s.
    """

    low: int
    high: int
    before_s: float
    after_s: float


def find_steps(points: Sequence[tuple[int, float]]) -> tuple[CacheStep, ...]:
    """The rises of a latency curve: `points` are sizes in bytes and latencies in s.

    Log latency, with lone outliers taken out by running medians of three, is cut into
    segments of constant level, such that the squared deviations and a penalty
    for each segment are least. Segments that span about an octave, the first, and the
    last are plateaus; one that is LEAST_RATIO above the plateau below it ends a
    step. After a cache the curve does not jump: it rises as ever less of what is
    walked fits. So the step lies where the rise begins, between the last size on the
    plateau and the next.

    Sizes of no positive latency are left out; with fewer than four sizes, or with
    more than any curve has, there are no steps.

    Source: B. Jackson et al., "An algorithm for optimal partitioning of data on an
    interval", IEEE Signal Processing Letters 12 (2005).
    """
    known = _known(points)
    if not 4 <= len(known) <= _MOST_POINTS:
        return ()
    sizes = [size for size, _ in known]
    smooth = [math.exp(log) for log in _smooth([math.log(latency) for _, latency in known])]
    plateaus = _plateaus(sizes, smooth)
    steps: list[CacheStep] = []
    base, below = plateaus[0], plateaus[0]
    for plateau in plateaus[1:]:
        before_s, after_s = _level(known, below), _level(known, plateau)
        if plateau.latency_s >= LEAST_RATIO * base.latency_s and after_s > before_s:
            low, high = _left(sizes, smooth, below, plateau)
            steps.append(CacheStep(low, high, before_s, after_s))
            base = plateau
        elif plateau.latency_s < base.latency_s:
            base = plateau
        below = plateau
    return tuple(steps)


def plateaus_between(
    points: Sequence[tuple[int, float]], steps: Sequence[CacheStep]
) -> tuple[Plateau, ...]:
    """The levels that `steps` part `points` into, the smallest sizes first.

    A level's latency is that which the steps give it; its sizes end with the last
    before the next step. Without steps, all is one level. Empty without points.
    """
    known = _known(points)
    if not known:
        return ()
    if not steps:
        middle = statistics.median(latency for _, latency in known)
        return (Plateau(known[0][0], known[-1][0], middle),)
    firsts = [known[0][0], *(step.high for step in steps)]
    lasts = [*(step.low for step in steps), known[-1][0]]
    latencies = [steps[0].before_s, *(step.after_s for step in steps)]
    return tuple(
        Plateau(first, last, latency)
        for first, last, latency in zip(firsts, lasts, latencies, strict=True)
    )


def _level(known: Sequence[tuple[int, float]], plateau: Plateau) -> float:
    """The measured latency on a plateau: smoothing may leave nothing of a lone last point."""
    return statistics.median(time for size, time in known if plateau.first <= size <= plateau.last)


def _known(points: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """The points that a logarithm can be taken of, one a size, by size."""
    return sorted({size: time for size, time in points if size > 0 and time > 0}.items())


def _smooth(values: Sequence[float]) -> list[float]:
    """Takes out lone outliers, and keeps steps and slopes in place.

    Each value's median with its neighbours; for the last, with the one before and what the
    two before continue to. The first stays: it may be all that shows of a small cache.

    Source: J. W. Tukey, "Exploratory data analysis", 1977, chapter 7 (3-smoothing, end values).
    """
    inner = [statistics.median(values[i - 1 : i + 2]) for i in range(1, len(values) - 1)]
    return [
        values[0],
        *inner,
        statistics.median((values[-1], inner[-1], 3 * inner[-1] - 2 * inner[-2])),
    ]


def _plateaus(sizes: Sequence[int], latencies: Sequence[float]) -> list[Plateau]:
    logs = [math.log(latency) for latency in latencies]
    cuts = _partition(logs, _penalty(logs))
    return [
        Plateau(sizes[start], sizes[stop - 1], statistics.median(latencies[start:stop]))
        for start, stop in pairwise(cuts)
        if start == 0 or stop == len(sizes) or _flat(sizes[start:stop], latencies[start:stop])
    ]


def _flat(sizes: Sequence[int], latencies: Sequence[float]) -> bool:
    octaves = math.log2(sizes[-1] / sizes[0])
    return octaves >= math.log2(_PLATEAU) and latencies[-1] <= latencies[0] * _FLAT**octaves


def _penalty(logs: Sequence[float]) -> float:
    """Schwarz's penalty for one level more, from the noise between neighbours."""
    # Most neighbours lie on one plateau: half of their differences are noise alone.
    typical = statistics.median(abs(b - a) for a, b in pairwise(logs)) / (0.6745 * math.sqrt(2))
    return max(_LEAST_PENALTY, 2 * min(typical, _MOST_NOISE) ** 2 * math.log(len(logs)))


def _partition(values: Sequence[float], penalty: float) -> list[int]:
    """The starts of the segments of the best piecewise constant fit, and the end."""
    sums, squares = [0.0], [0.0]
    for value in values:
        sums.append(sums[-1] + value)
        squares.append(squares[-1] + value * value)
    cost, begins = [-penalty], [0]
    for stop in range(1, len(values) + 1):
        best, begin = min(
            (
                cost[start]
                + penalty
                + (squares[stop] - squares[start])
                - (sums[stop] - sums[start]) ** 2 / (stop - start),
                start,
            )
            for start in range(stop)
        )
        cost.append(best)
        begins.append(begin)
    cuts = [len(values)]
    while cuts[-1]:
        cuts.append(begins[cuts[-1]])
    return cuts[::-1]


def _left(
    sizes: Sequence[int], latencies: Sequence[float], below: Plateau, above: Plateau
) -> tuple[int, int]:
    """The last size on the plateau below, and the next."""
    limit = min(
        below.latency_s + _LEFT * (above.latency_s - below.latency_s),
        math.sqrt(below.latency_s) * math.sqrt(above.latency_s),
    )
    start = sizes.index(below.first)
    stop = sizes.index(above.last)
    last = max(i for i in range(start, stop) if latencies[i] <= limit)
    return sizes[last], sizes[last + 1]
