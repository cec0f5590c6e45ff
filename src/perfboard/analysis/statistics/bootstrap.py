# SPDX-License-Identifier: Apache-2.0
"""The best, the median and an interval of a metric that several processes measured.

Samples of one process share its page layout and its luck, so they are no independent
witnesses: each process counts once, with its median.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from perfboard.analysis.statistics.summary import CONFIDENCE, Interval
from perfboard.model.run import Metric

FEWEST_PROCESSES = 5
_MANY = 200
# Pairs of ranks less likely than this move no percentile that anyone asks for.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Estimate:
    """`best` and `median` of the medians of `processes` processes, in the metric's unit.

    `interval` is None with fewer than FEWEST_PROCESSES.
    """

    best: float
    median: float
    interval: Interval | None
    processes: int

    @property
    def precision(self) -> float:
        """Half the interval's width as a share of the median; infinite where unknown."""
        if self.interval is None:
            return math.inf
        half = (self.interval.high - self.interval.low) / 2
        if half == 0:
            return 0.0
        return half / abs(self.median) if self.median else math.inf


def process_medians(metric: Metric) -> list[float]:
    """The median of each process's samples; without processes, each sample is one."""
    if len(metric.processes) != len(metric.samples):
        return list(metric.samples)
    groups: dict[int, list[float]] = defaultdict(list)
    for process, sample in zip(metric.processes, metric.samples, strict=True):
        groups[process].append(sample)
    return [statistics.median(group) for group in groups.values()]


def estimate(metric: Metric) -> Estimate:
    """The metric's estimate from its processes. Raises ValueError without samples."""
    medians = process_medians(metric)
    if not medians:
        raise ValueError(f"{metric.name} has no samples")
    return Estimate(
        best=min(medians) if metric.better == "lower" else max(medians),
        median=statistics.median(medians),
        interval=median_interval(medians),
        processes=len(medians),
    )


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """The bootstrap's percentile interval for the median of `values`.

    None with fewer than FEWEST_PROCESSES values. For the median, the distribution over
    all resamples is known exactly, so that none is drawn: the result is what endless
    resampling would give, and always the same.

    Source: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of
    Statistics 7 (1979), section 3 (the sample median).
    """
    n = len(values)
    if n < FEWEST_PROCESSES:
        return None
    ordered = sorted(values)
    tail = (1 - confidence) / 2
    if n > _MANY:
        # The ranks are as good as normally distributed.
        reach = math.sqrt(n) / 2 * statistics.NormalDist().inv_cdf(1 - tail)
        low = max(0, math.floor((n - 1) / 2 - reach))
        return Interval(ordered[low], ordered[n - 1 - low])
    middles = sorted((ordered[i] / 2 + ordered[j] / 2, weight) for i, j, weight in _middle_ranks(n))
    total = math.fsum(weight for _, weight in middles)
    return Interval(
        _percentile(middles, tail * total), -_percentile(_mirrored(middles), tail * total)
    )


def _percentile(weighted: Sequence[tuple[float, float]], share: float) -> float:
    """The least value up to which the weights come to `share`."""
    reached = 0.0
    for value, weight in weighted:
        reached += weight
        if reached >= share:
            return value
    return weighted[-1][0]


def _mirrored(weighted: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(-value, weight) for value, weight in reversed(weighted)]


@cache
def _middle_ranks(n: int) -> tuple[tuple[int, int, float], ...]:
    """How likely the two middle values of a resample of `n` have ranks i and j, from 0.

    With an odd `n` there is one middle value: i is j.
    """
    first = (n + 1) // 2
    found = []
    for i in range(n):
        # The first of the middle values is at most of rank i where as many are.
        alone = _at_least(n, first, (i + 1) / n) - _at_least(n, first, i / n)
        for j in range(i + 1, n if n % 2 == 0 else 0):
            # Just half are up to rank i, one of them i; the others from j on, one of them j.
            low = ((i + 1) / n) ** first - (i / n) ** first
            high = ((n - j) / n) ** first - ((n - j - 1) / n) ** first
            weight = math.comb(n, first) * low * high
            if weight < _NEGLIGIBLE:
                break
            found.append((i, j, weight))
            alone -= weight
        found.append((i, i, alone))
    return tuple(item for item in found if item[2] >= _NEGLIGIBLE)


def _at_least(n: int, k: int, p: float) -> float:
    """The chance of `k` or more successes in `n` trials of chance `p`."""
    return math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))
