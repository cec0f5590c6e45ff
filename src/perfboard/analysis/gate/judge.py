# SPDX-License-Identifier: Apache-2.0
"""A run judged against its baseline: whether it got worse, by how much, and what did it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from perfboard.analysis.compare.comparison import Difference, compare, label_name
from perfboard.analysis.compare.drift import drifts
from perfboard.analysis.compare.guides import area_of, areas_of
from perfboard.analysis.gate.causes import ChangeCause, causes_of
from perfboard.analysis.gate.change import GateLevel, MetricChange, Rules, bounded_change
from perfboard.analysis.gate.findings import (
    FEWEST_SAMPLES,
    Pair,
    exact_findings,
    noisy_findings,
)
from perfboard.analysis.statistics.summary import REPEATS
from perfboard.model.errors import UsageError
from perfboard.model.results.program import ProgramResult
from perfboard.model.run import Metric, Run, Status

_IMAGE_SIZE = "image."
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
    if exact:
        findings = exact_findings(sampled, rules)
    else:
        findings = noisy_findings(sampled, rules, _drifted(run, sampled, baseline))
    findings += [bounded_change(*pair, rules) for pair in bounded]
    owners = {label_name(metric): area_of(run, metric) for metric in own.values()}
    findings = [replace(each, area=owners.get(each.metric, "")) for each in findings]
    vanished = tuple(name for name in known[0] if name not in own)
    judged = replace(
        judgement, level=overall(findings, vanished), findings=tuple(findings), vanished=vanished
    )
    return explained(judged, baseline[0], run)


def _drifted(run: Run, pairs: Sequence[Pair], baseline: Sequence[Run]) -> list[float]:
    """How far the rows of a guide drift from a single earlier one; several tell it themselves."""
    if len(baseline) > 1 or not areas_of(run):
        return []
    areas = [area_of(run, metric) for _, metric in pairs]
    return drifts([(before[0], after) for before, after in pairs], areas)


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
