# SPDX-License-Identifier: Apache-2.0
"""Each metric of a run and of its baseline, judged: exactly, or by what noise may do."""

import statistics
from collections.abc import Sequence
from dataclasses import replace

from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.compare.guides import EXACT_UNITS
from perfboard.analysis.gate.change import GateLevel, MetricChange, Rules
from perfboard.analysis.gate.noise import Shift, shift_from_runs, shift_of
from perfboard.analysis.statistics.bootstrap import process_medians
from perfboard.analysis.statistics.holm import holm
from perfboard.analysis.statistics.summary import Interval, range_difference
from perfboard.model.run import Metric

# The samples of a run that say enough of its noise.
FEWEST_SAMPLES = 5
Pair = tuple[list[Metric], Metric]


def exact_findings(pairs: Sequence[Pair], rules: Rules) -> list[MetricChange]:
    """Boot by boot where both sides have as many, since boots repeat in their order."""
    found = []
    for before, after in pairs:
        old, new = [sample for each in before for sample in each.samples], after.samples
        if len(before) == 1 and len(old) == len(new):
            steps = [b - a for a, b in zip(old, new, strict=True)]
            interval = Interval(min(steps), max(steps))
        else:
            interval = range_difference(old, new)
        finding = _finding(after, old, new, interval)
        low, high = _worsening(finding, interval)
        allowed = rules.fail_above * abs(finding.before)
        if low > allowed:
            finding = replace(finding, level=GateLevel.WORSE)
        elif high > allowed:
            reason = "the boots differ by more than the change"
            finding = replace(finding, level=GateLevel.INCONCLUSIVE, reason=reason)
        elif high < -allowed:
            finding = replace(finding, level=GateLevel.BETTER)
        found.append(finding)
    return found


def noisy_findings(
    pairs: Sequence[Pair], rules: Rules, drifted: Sequence[float] = ()
) -> list[MetricChange]:
    """By Welch's test of each, with Holm's correction over all of them.

    `drifted` are the shares by which metrics drift from one run to the next, where that is known.
    """
    found: list[MetricChange] = []
    chances: list[float] = []
    tested: list[int] = []
    for place, (before, after) in enumerate(pairs):
        sides = [process_medians(metric) for metric in before]
        new = process_medians(after)
        within = shift = shift_of(sides[0], new)
        old: list[float] = sides[0]
        if len(sides) > 1:
            # Medians, since a run that another program disturbed has a few samples far off.
            old, new = [statistics.median(side) for side in sides], [statistics.median(new)]
            shift = shift_from_runs(old, new[0])
            if all(len(metric.samples) == 1 for metric in (*before, after)):
                # The noise inside a run is part of how the runs differ.
                within = shift
        elif drifted and shift:
            middle = statistics.mean(old)
            within = shift = shift.widened(drifted[place] * abs(middle))
        finding = _finding(after, old, new, shift.interval if shift else None)
        allowed = rules.fail_above * abs(finding.before)
        if shift is None or within is None:
            finding = _without_noise(finding, old, new, allowed)
        else:
            _, high = _worsening(finding, shift.interval)
            if high > allowed:
                reason = f"the noise hides changes up to {_share(high, finding)}"
                finding = replace(finding, level=GateLevel.INCONCLUSIVE, reason=reason)
            elif high < -allowed:
                finding = replace(finding, level=GateLevel.BETTER)
            tested.append(len(found))
            # A change has to stand out of the noise inside a run, too.
            both = (_chance(each, finding.better, allowed) for each in (shift, within))
            chances.append(max(both))
        found.append(finding)
    for index, worse in zip(tested, holm(chances, rules.false_alarms), strict=True):
        if worse:
            found[index] = replace(found[index], level=GateLevel.WORSE, reason="")
    return found


def _without_noise(
    finding: MetricChange, old: Sequence[float], new: Sequence[float], allowed: float
) -> MetricChange:
    """A finding of whose noise nothing is known: counts and sizes that never vary are exact."""
    if finding.unit in EXACT_UNITS and len({*old}) == len({*new}) == 1:
        interval = Interval(finding.difference, finding.difference)
        low, _ = _worsening(finding, interval)
        level = (
            GateLevel.WORSE
            if low > allowed
            else GateLevel.BETTER
            if low < -allowed
            else GateLevel.SAME
        )
        return replace(finding, interval=interval, level=level)
    few = len(old) < 2 or len(new) < 2
    reason = "the samples do not vary, so its noise is unknown"
    if few:
        reason = f"a single sample, so its noise is unknown: {FEWEST_SAMPLES} are needed"
    return replace(finding, level=GateLevel.INCONCLUSIVE, reason=reason)


def _chance(shift: Shift, better: str, allowed: float) -> float:
    if better == "higher":
        shift = replace(shift, difference=-shift.difference)
    return shift.chance_above(allowed)


def _finding(
    metric: Metric, old: Sequence[float], new: Sequence[float], interval: Interval | None
) -> MetricChange:
    return MetricChange(
        metric=label_name(metric),
        unit=metric.unit,
        better=metric.better,
        before=statistics.mean(old),
        after=statistics.mean(new),
        interval=interval,
        level=GateLevel.SAME,
    )


def _worsening(finding: MetricChange, interval: Interval) -> tuple[float, float]:
    """The interval of how much worse it got, in the metric's unit."""
    if finding.better == "higher":
        return -interval.high, -interval.low
    return interval.low, interval.high


def _share(value: float, finding: MetricChange) -> str:
    return f"{value / abs(finding.before):.1%}" if finding.before else "any size"
