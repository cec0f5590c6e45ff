# SPDX-License-Identifier: Apache-2.0
"""How likely noise alone makes a metric look worse, for one metric and for all of a gate."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.analysis.statistics.summary import CONFIDENCE, Interval, welch_error


@dataclass(frozen=True)
class Shift:
    """How far a metric moved: `difference` is the mean after less the mean before.

    `error` is its standard error, and `freedom` the degrees of freedom of that error.
    """

    difference: float
    error: float
    freedom: float

    @property
    def interval(self) -> Interval:
        """Student's t interval of the difference, which holds the true one in CONFIDENCE."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.freedom, (1 + CONFIDENCE) / 2)) * self.error
        return Interval(self.difference - half, self.difference + half)

    def widened(self, off: float) -> "Shift":
        """The shift with an error that also has `off`, a deviation from run to run."""
        return Shift(self.difference, math.hypot(self.error, off), self.freedom)

    def chance_above(self, least: float) -> float:
        """How likely noise gives this difference, or more, if the true one is `least`."""
        from scipy.special import stdtr

        return float(stdtr(self.freedom, (least - self.difference) / self.error))


def shift_of(before: Sequence[float], after: Sequence[float]) -> Shift | None:
    """The shift between the samples of two runs, or None if their noise is unknown.

    It is unknown with less than two samples on a side, or if neither side varies.
    Source: B. L. Welch, Biometrika 34 (1947).
    """
    if len(before) < 2 or len(after) < 2:
        return None
    error, freedom = welch_error(before, after)
    if error == 0:
        return None
    return Shift(statistics.mean(after) - statistics.mean(before), error, freedom)


def shift_from_runs(before: Sequence[float], after: float) -> Shift | None:
    """The shift from several runs, one mean each, to the mean of one more run.

    It counts what differs from run to run, such as the layout of memory, which the samples of one
    run do not show. None with less than two runs before, or if they do not vary. Source: the
    prediction interval for one more draw from a normal distribution.
    """
    if len(before) < 2:
        return None
    error = statistics.stdev(before) * math.sqrt(1 + 1 / len(before))
    return Shift(after - statistics.mean(before), error, len(before) - 1) if error else None
