# SPDX-License-Identifier: Apache-2.0
"""The change of each metric between two runs, and whether it is more than chance."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from perfboard.analysis.statistics.bootstrap import process_medians
from perfboard.analysis.statistics.summary import (
    Interval,
    Summary,
    difference_interval,
    range_difference,
    summary,
    welch_error,
)
from perfboard.model.run import Metric

# Among the changes of probes' metrics that are shown, the share due to chance.
FALSE_DISCOVERIES = 0.05


@dataclass(frozen=True)
class RunChange:
    """A metric that both runs have.

    `difference` is the mean after less the mean before. `interval` is its range
    where both runs are of virtual boards, which repeat; else its 95% interval, or
    None where a run has one sample. `ratio` is the mean after over the mean before
    (None where that is 0).

    If both are `probed`, processes took the samples, and each counts once, with its median. There
    are then hundreds of metrics, some of which differ by chance: `shown` says that a change stands
    out from that. For other metrics the interval does.
    """

    name: str
    group: str
    unit: str
    labels: dict[str, str]
    better: str
    before: Summary
    after: Summary
    difference: float
    interval: Interval | None
    ratio: float | None
    probed: bool
    shown: bool
    # The margins of the timing models alone keep it from being shown.
    hidden: bool = False
    # False for a metric that a run's timing model leaves out: no margin covers it.
    modelled: bool = True


def changes_of(pairs: Sequence[tuple[Metric, Metric]], repeats: bool) -> tuple[RunChange, ...]:
    """The change from the first metric of each pair to the second.

    Source of what is `shown`: Y. Benjamini and Y. Hochberg, "Controlling the false discovery
    rate", Journal of the Royal Statistical Society B 57 (1995), over Welch's tests.
    """
    changes = [_change(before, after, repeats) for before, after in pairs]
    if repeats:
        return tuple(changes)
    tested = [i for i, change in enumerate(changes) if change.probed and change.interval]
    if tested:
        from scipy.stats import false_discovery_control

        chances = false_discovery_control(_chances([pairs[i] for i in tested]))
        for i, chance in zip(tested, chances, strict=True):
            changes[i] = replace(changes[i], shown=bool(chance <= FALSE_DISCOVERIES))
    return tuple(changes)


def sign_of(value: float) -> str:
    """The sign to write before the size of `value`, none for 0."""
    return "+" if value > 0 else "−" if value < 0 else ""  # noqa: RUF001


def percent(ratio: float | None) -> str:
    """How far `ratio` is from 1, with its sign, in percent."""
    if ratio is None:
        return "from 0"
    return f"{ratio - 1:+.1%}".replace("-", "−")  # noqa: RUF001


def _change(before: Metric, after: Metric, repeats: bool) -> RunChange:
    probed = bool(before.processes) and bool(after.processes)
    samples, later = process_medians(before), process_medians(after)
    first, second = summary(samples), summary(later)
    interval = (range_difference if repeats else difference_interval)(samples, later)
    return RunChange(
        name=before.name,
        group=after.group,
        unit=before.unit,
        labels=before.labels,
        better=before.better,
        before=first,
        after=second,
        difference=second.mean - first.mean,
        interval=interval,
        ratio=second.mean / first.mean if first.mean else None,
        probed=probed,
        shown=interval is not None and not interval.low <= 0 <= interval.high,
    )


def _chances(pairs: Sequence[tuple[Metric, Metric]]) -> list[float]:
    """How likely chance alone moves each mean as far: Welch's test, both ways.

    If the processes do not differ in either run, nothing is left to chance.
    """
    from scipy.special import stdtr

    chances = []
    for pair in pairs:
        before, after = map(process_medians, pair)
        error, freedom = welch_error(before, after)
        difference = abs(statistics.mean(after) - statistics.mean(before))
        score = difference / error if error else math.inf if difference else 0.0
        chances.append(2 * float(stdtr(freedom, -score)))
    return chances
