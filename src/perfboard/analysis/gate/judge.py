# SPDX-License-Identifier: Apache-2.0
"""A run judged against its baseline: whether it got worse, by how much, and what did it."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from perfboard.analysis.compare.comparison import Difference, compare, label_name
from perfboard.analysis.gate.causes import ChangeCause, causes_of
from perfboard.analysis.gate.change import GateLevel, MetricChange, Rules, bounded_change
from perfboard.analysis.gate.noise import Shift, shift_from_runs, shift_of
from perfboard.analysis.statistics.bootstrap import process_medians
from perfboard.analysis.statistics.holm import holm
from perfboard.analysis.statistics.summary import REPEATS, Interval, range_difference
from perfboard.model.errors import UsageError
from perfboard.model.results.program import ProgramResult
from perfboard.model.run import Metric, Run, Status

# Units of figures that are exact where they do not vary.
_EXACT_UNITS = ("1", "B")
_IMAGE_SIZE = "image."
# The samples of a run that say enough of its noise.
FEWEST_SAMPLES = 5
# The baseline that knows what differs from run to run, as a user gives it.
LAST = f"last {FEWEST_SAMPLES}"


@dataclass(frozen=True)
class Judgement:
    """The answer of a gate, with what it rests on.

    `causes` and `changes`, those of the image and its set-up, are there where it got worse.
    `vanished` are metrics that the baseline has and the run lacks. `exact` says that nothing is
    left to chance: both sides are of one virtual board. `margin` is that of its times.
    """

    run: str
    study: str
    board: str
    evidence: str
    baseline: tuple[str, ...]
    baseline_words: str
    level: GateLevel
    exact: bool
    margin: float | None
    rules: Rules
    findings: tuple[MetricChange, ...] = ()
    vanished: tuple[str, ...] = ()
    causes: tuple[ChangeCause, ...] = ()
    changes: tuple[Difference, ...] = ()
    # The pairs that were measured in turn; 0: the runs were stored before.
    pairs: int = 0
    # By the last runs like it, where this baseline's noise is unknown.
    by_last: "Judgement | None" = None


def refusal(run: Run, baseline: Run) -> str:
    """Why `baseline` is no baseline of `run`, in words; "" if it is one."""
    pairs = (
        ("study", run.study, baseline.study),
        ("board", run.board.name, baseline.board.name),
        ("evidence", run.evidence.value, baseline.evidence.value),
        ("command", _command(run), _command(baseline)),
        ("timing model", _model(run), _model(baseline)),
    )
    for what, own, other in pairs:
        if own != other:
            return f"its {what} is {other or 'none'}, and that of {run.id} is {own or 'none'}"
    return ""


def judge(run: Run, baseline: Sequence[Run], words: str, rules: Rules) -> Judgement:
    """`run` judged against `baseline`, the newest first; `words` say whose choice that was.

    Without a baseline nothing is compared. Raises UsageError for a run that failed or has no
    metrics, for a baseline that is none, and for patterns that match no metric.
    """
    if run.status is not Status.COMPLETE:
        raise UsageError(
            f"run {run.id} is {run.status}, so there is nothing to judge; "
            f"`perfboard show {run.id}` says why"
        )
    exact = run.evidence in REPEATS
    judgement = Judgement(
        run=run.id,
        study=run.study,
        board=run.board.name,
        evidence=run.evidence.value,
        baseline=tuple(each.id for each in baseline),
        baseline_words=words,
        level=GateLevel.UNCOMPARED,
        exact=exact,
        margin=run.margin,
        rules=rules,
    )
    own = chosen(run, run, rules.patterns)
    if not baseline:
        if not own:
            raise no_metric(run, rules.patterns)
        return judgement
    for each in baseline:
        if why := refusal(run, each):
            raise UsageError(f"{each.id} is no baseline of this run: {why}; choose another")
    known = [chosen(each, run, rules.patterns) for each in baseline]
    if not own and not any(known):
        raise no_metric(run, rules.patterns)
    pairs = [
        ([side[name] for side in known if name in side], metric)
        for name, metric in own.items()
        if any(name in side for side in known)
    ]
    sampled = [pair for pair in pairs if _has_samples(*pair)]
    bounded = [pair for pair in pairs if not _has_samples(*pair)]
    findings = _exact(sampled, rules) if exact else _noisy(sampled, rules)
    findings += [bounded_change(*pair, rules) for pair in bounded]
    vanished = tuple(name for name in known[0] if name not in own)
    judged = replace(
        judgement, level=overall(findings, vanished), findings=tuple(findings), vanished=vanished
    )
    return explained(judged, baseline[0], run)


def _has_samples(before: Sequence[Metric], after: Metric) -> bool:
    return all(each.samples for each in (*before, after))


def overall(findings: Sequence[MetricChange], vanished: Sequence[str]) -> GateLevel:
    """The level of a whole run."""
    levels = {finding.level for finding in findings}
    if GateLevel.WORSE in levels:
        return GateLevel.WORSE
    if GateLevel.INCONCLUSIVE in levels or vanished or not findings:
        return GateLevel.INCONCLUSIVE
    return GateLevel.BETTER if levels == {GateLevel.BETTER} else GateLevel.SAME


def explained(judgement: Judgement, before: Run, after: Run) -> Judgement:
    """The judgement with what did it, and what changed, if it got worse."""
    worse = [each for each in judgement.findings if each.level is GateLevel.WORSE]
    if not worse:
        return judgement
    seconds = [each.difference for each in worse if each.unit == "s" and each.difference > 0]
    comparison = compare(before, after)
    sizes = (
        Difference(change.name, f"{change.before.mean:.0f} B", f"{change.after.mean:.0f} B")
        for change in comparison.changes
        if change.name.startswith(_IMAGE_SIZE) and change.unit == "B" and change.difference
    )
    return replace(
        judgement,
        causes=causes_of(before, after, max(seconds)) if seconds else (),
        changes=(*comparison.differences, *sizes),
    )


def _exact(pairs: Sequence[tuple[list[Metric], Metric]], rules: Rules) -> list[MetricChange]:
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


def _noisy(pairs: Sequence[tuple[list[Metric], Metric]], rules: Rules) -> list[MetricChange]:
    found: list[MetricChange] = []
    chances: list[float] = []
    tested: list[int] = []
    for before, after in pairs:
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
    if finding.unit in _EXACT_UNITS and len({*old}) == len({*new}) == 1:
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


def chosen(side: Run, run: Run, patterns: Sequence[str]) -> dict[str, Metric]:
    """The metrics of `side` that are judged, by name and labels."""
    wanted = patterns or ((run.headline,) if run.headline else ("*",))
    return {
        label_name(metric): metric
        for metric in side.metrics
        if metric.extent
        and any(fnmatchcase(name, p) for p in wanted for name in (metric.name, label_name(metric)))
    }


def no_metric(run: Run, patterns: Sequence[str]) -> UsageError:
    """The error of a run without any metric to judge."""
    if not patterns:
        return UsageError(f"run {run.id} has no metrics to judge")
    names = ", ".join(sorted({metric.name for metric in run.metrics})[:12])
    return UsageError(f"--metric {' '.join(patterns)}: matches no metric; the run has {names}, …")


def _command(run: Run) -> str:
    return "; ".join(" ".join(result.command) for result in run.results_of(ProgramResult))


def _model(run: Run) -> str:
    return run.timed.model[:12] if run.timed and run.timed.model else ""
