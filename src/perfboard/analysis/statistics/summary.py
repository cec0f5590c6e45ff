# SPDX-License-Identifier: Apache-2.0
"""Summaries of samples, intervals for means, and verdicts."""

import math
import statistics
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.model.run import Evidence, Metric, Outcome, Verdict

# A virtual board repeats: its samples vary by what differs between the boots, not
# by chance, so their range is all there is to know, even with one sample.
REPEATS = (Evidence.TIMED, Evidence.COUNTED)

# The share of intervals that hold the true value.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Summary:
    """`n` samples in five numbers, all in the samples' unit."""

    n: int
    mean: float
    median: float
    minimum: float
    maximum: float

    @property
    def spread(self) -> float:
        """From the least sample to the greatest."""
        return self.maximum - self.minimum


@dataclass(frozen=True)
class Interval:
    """From `low` to `high`, both included."""

    low: float
    high: float


def summary(samples: Sequence[float]) -> Summary:
    """The summary of one sample or more. Raises ValueError where there is none."""
    return Summary(
        n=len(samples),
        mean=statistics.mean(samples),
        median=statistics.median(samples),
        minimum=min(samples),
        maximum=max(samples),
    )


def mean_interval(samples: Sequence[float]) -> Interval | None:
    """Student's t interval for the mean of `samples`, or None with less than two.

    Source: Student, "The probable error of a mean", Biometrika 6 (1908).
    """
    if len(samples) < 2:
        return None
    error = statistics.stdev(samples) / math.sqrt(len(samples))
    return _around(statistics.mean(samples), error, len(samples) - 1)


def percentile_of(samples: Sequence[float], percent: float) -> float:
    """The percentile of `samples` by nearest rank. Raises ValueError where there is none."""
    # Rounded, since a percent is seldom a sum of powers of two.
    rank = math.ceil(round(percent * len(samples) / 100, 9))
    return sorted(samples)[max(rank, 1) - 1]


def percentile_interval(samples: Sequence[float], percent: float) -> Interval:
    """The samples that the true percentile lies between, whatever their distribution is.

    How many of independent samples lie below it is binomial, so the ranks of the interval are. With
    too few samples on a side it ends with the last.

    Source: H. A. David and H. N. Nagaraja, "Order Statistics", 3rd edition (2003), section 7.1.
    """
    from scipy.special import bdtr

    ordered, count = sorted(samples), len(samples)
    tail = (1 - CONFIDENCE) / 2

    def first(share: float) -> int:
        """The fewest samples below the percentile that are not surpassed with that chance."""
        return bisect_left(range(count), share, key=lambda k: float(bdtr(k, count, percent / 100)))

    low, high = max(first(tail), 1), min(first(1 - tail) + 1, count)
    return Interval(ordered[low - 1], ordered[high - 1])


def difference_interval(a: Sequence[float], b: Sequence[float]) -> Interval | None:
    """Interval for mean(b) - mean(a), where variances and sizes may differ.

    None where either has less than two samples: nothing is then known of its
    variance. If neither varies, the interval has no width.

    Source: B. L. Welch, "The generalization of 'Student's' problem when several
    different population variances are involved", Biometrika 34 (1947), with the
    degrees of freedom approximated as there.
    """
    if len(a) < 2 or len(b) < 2:
        return None
    error, freedom = welch_error(a, b)
    return _around(statistics.mean(b) - statistics.mean(a), error, freedom)


def welch_error(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """The standard error of mean(b) - mean(a), and its degrees of freedom, as Welch has them.

    Both need two samples or more. Without any variance the freedom is infinite.
    """
    error_a = statistics.stdev(a) / math.sqrt(len(a))
    error_b = statistics.stdev(b) / math.sqrt(len(b))
    error = math.hypot(error_a, error_b)
    if error == 0:
        return error, math.inf
    # Each error as a share of the whole, so that tiny ones do not underflow.
    share_a, share_b = (error_a / error) ** 2, (error_b / error) ** 2
    return error, 1 / (share_a**2 / (len(a) - 1) + share_b**2 / (len(b) - 1))


def range_difference(a: Sequence[float], b: Sequence[float]) -> Interval:
    """From the least to the greatest that a sample of `b` less one of `a` can be."""
    return Interval(min(b) - max(a), max(b) - min(a))


def judge(
    metric: Metric,
    budget: float,
    evidence: Evidence,
    margin: float | None = 0.0,
    precision: float = 0.0,
    percentile: float | None = None,
) -> Verdict:
    """The metric held against `budget`, which is in the metric's unit.

    Wholly within the budget is a pass, wholly beyond it a fail, else it is
    inconclusive. On a virtual board the interval is the samples' range, widened by the
    share `margin` that one of the two clocks may be off the other by, and the value their
    median; where None is known of that, it is inconclusive. Elsewhere it is Student's t
    interval of the mean, widened by `precision`: so far all samples may be off alike, in the
    metric's unit. A single sample from a real machine has no interval: that is inconclusive.
    With `percentile`, in percent, the value is that one of the samples and the interval its own,
    widened alike. Without an interval `low` and `high` are the value. Raises ValueError without
    samples.
    """
    found = summary(metric.samples)
    known: Interval | None
    if percentile is not None:
        value = percentile_of(metric.samples, percentile)
        known = percentile_interval(metric.samples, percentile)
    elif evidence in REPEATS:
        value, known = found.median, Interval(found.minimum, found.maximum)
    else:
        value, known = found.mean, mean_interval(metric.samples)
    if known is None or (evidence in REPEATS and margin is None):
        alone = Interval(value, value)
        return _verdict(metric, budget, value, alone, Outcome.INCONCLUSIVE, percentile)
    if evidence in REPEATS:
        share = 1 + (margin or 0.0)
        interval = Interval(known.low / share, known.high * share)
    else:
        interval = Interval(known.low - precision, known.high + precision)
    within, beyond = interval.high <= budget, interval.low > budget
    if metric.better == "higher":
        within, beyond = interval.low >= budget, interval.high < budget
    outcome = Outcome.PASS if within else Outcome.FAIL if beyond else Outcome.INCONCLUSIVE
    return _verdict(metric, budget, value, interval, outcome, percentile)


def _around(middle: float, error: float, freedom: float) -> Interval:
    """Student's t interval of standard error `error` around `middle`."""
    if error == 0:
        return Interval(middle, middle)
    # scipy.stats has the same, and takes a command half a second longer to import.
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    return Interval(middle - half, middle + half)


def _verdict(
    metric: Metric,
    budget: float,
    value: float,
    interval: Interval,
    outcome: Outcome,
    percentile: float | None,
) -> Verdict:
    found = Verdict(
        metric=metric.name,
        unit=metric.unit,
        budget=budget,
        value=value,
        low=interval.low,
        high=interval.high,
        outcome=outcome,
    )
    return found if percentile is None else found.model_copy(update={"percentile": percentile})
