# SPDX-License-Identifier: Apache-2.0
"""A metric of a run and of its baseline, and the rules by which it is judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.statistics.summary import Interval
from perfboard.model.run import Metric
from perfboard.model.units import format_between


class GateLevel(StrEnum):
    """How a metric, or a whole run, stands to its baseline."""

    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"
    BETTER = "better"
    SAME = "same"  # not worse by more than is allowed
    # Nothing was compared: the run was stored as the baseline, or has none.
    FIRST = "first"
    UNCOMPARED = "uncompared"


@dataclass(frozen=True)
class Rules:
    """The rules by which a gate fails.

    A metric is worse if it lost more than the share `fail_above` of its baseline. Noise alone makes
    a run worse with at most the chance `false_alarms`, over all its metrics together. `patterns`
    choose metrics; without any it is the run's headline, or else all.
    """

    fail_above: float = 0.005
    false_alarms: float = 0.01
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True)
class MetricChange:
    """A metric of the run and of its baseline.

    `before` and `after` are means, and `interval` is that of their difference: the range on a
    virtual board, else 95%; None if the noise is unknown. `reason` says why it is inconclusive.
    """

    metric: str
    unit: str
    better: str
    before: float
    after: float
    interval: Interval | None
    level: GateLevel
    reason: str = ""
    # That of a guide's row.
    area: str = ""

    @property
    def difference(self) -> float:
        """The mean after less the mean before."""
        return self.after - self.before

    @property
    def noise_unknown(self) -> bool:
        """Whether it is inconclusive since nothing is known of its noise."""
        return self.level is GateLevel.INCONCLUSIVE and self.interval is None

    @property
    def ratio(self) -> float | None:
        """The mean after over the mean before; None if that is 0."""
        return self.after / self.before if self.before else None


def bounded_change(before: Sequence[Metric], after: Metric, rules: Rules) -> MetricChange:
    """The change of a metric that a run knows only between two values.

    It is worse or better only if no value of one side is one of the other.
    """
    extents = [each.extent or (0.0, None) for each in before]
    low = min(least for least, _ in extents)
    known = [most for _, most in extents if most is not None]
    high = max(known) if len(known) == len(extents) else None
    new_low, new_high = after.extent or (0.0, None)
    old = low if high is None else (low + high) / 2
    new = new_low if new_high is None else (new_low + new_high) / 2
    allowed = rules.fail_above * old
    level = GateLevel.INCONCLUSIVE
    reason = (
        f"it is known only to be {format_between(low, high, after.unit)} before, "
        f"{format_between(new_low, new_high, after.unit)} now"
    )
    rose = high is not None and new_low > high + allowed
    fell = new_high is not None and new_high < low - allowed
    if rose or fell:
        worse = rose is (after.better == "lower")
        level, reason = GateLevel.WORSE if worse else GateLevel.BETTER, ""
    interval = None
    if high is not None and new_high is not None:
        interval = Interval(new_low - high, new_high - low)
    return MetricChange(
        metric=label_name(after),
        unit=after.unit,
        better=after.better,
        before=old,
        after=new,
        interval=interval,
        level=level,
        reason=reason,
    )
