# SPDX-License-Identifier: Apache-2.0
"""Runs of two things that were measured in turn, judged as they come."""

import statistics
from collections.abc import Sequence
from dataclasses import replace

from perfboard.analysis.gate.change import GateLevel, MetricChange, Rules
from perfboard.analysis.gate.judge import (
    Judgement,
    chosen,
    explained,
    judge,
    no_metric,
    overall,
    refusal,
)
from perfboard.analysis.statistics.sequential import (
    POWER,
    SequentialAnswer,
    chance,
    decide,
    detectable,
)
from perfboard.analysis.statistics.summary import mean_interval
from perfboard.model.errors import UsageError
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_value

WORDS = "measured in turn with it"
Turn = tuple[Run, Run]
_LEVELS = {SequentialAnswer.WORSE: GateLevel.WORSE, SequentialAnswer.NOT_WORSE: GateLevel.SAME}


def judge_exact(before: Run, after: Run, rules: Rules) -> Judgement:
    """Two runs of virtual boards, one each, which may be of boards with other names."""
    _check(before, after)
    renamed = before.model_copy(update={"board": after.board})
    return judge(after, (renamed,), WORDS, rules)


def judge_turns(turns: Sequence[Turn], rules: Rules, most: int) -> tuple[Judgement | None, int]:
    """The judgement, or None and the number of turns in all to ask again at.

    A run counts as one value a metric, the median of its samples. `most` is as
    `analysis.statistics.sequential.decide` has it. Raises UsageError for runs that cannot be
    compared, and for patterns that match no metric.
    """
    first, last = turns[0]
    for before, after in turns:
        _check(before, after)
    sides = [
        [chosen(run, last, rules.patterns) for run in side] for side in zip(*turns, strict=True)
    ]
    known = [
        name for name in sides[0][0] if all(name in metrics for side in sides for metrics in side)
    ]
    if not known:
        raise no_metric(last, rules.patterns)
    pairs = {
        name: [
            (_value(before[name]), _value(after[name]))
            for before, after in zip(*sides, strict=True)
        ]
        for name in known
    }
    directions = {name: -1 if sides[0][0][name].better == "higher" else 1 for name in known}
    excesses = [
        [directions[name] * (b - a) - rules.fail_above * abs(a) for a, b in pairs[name]]
        for name in known
    ]
    decision = decide(excesses, rules.false_alarms, most)
    if decision.needs:
        return None, decision.needs
    findings = [
        _finding(sides[0][0][name], name, pairs[name], answer, excess, len(known), rules, most)
        for name, answer, excess in zip(known, decision.answers, excesses, strict=True)
    ]
    vanished = tuple(name for name in sides[0][0] if name not in known)
    judgement = Judgement(
        run=last.id,
        study=last.study,
        board=last.board.name,
        evidence=last.evidence.value,
        baseline=(first.id,),
        baseline_words=WORDS,
        level=overall(findings, vanished),
        exact=False,
        margin=last.margin,
        rules=rules,
        findings=tuple(findings),
        vanished=vanished,
        pairs=len(turns),
    )
    return explained(judgement, first, last), 0


def _finding(
    metric: Metric,
    name: str,
    pairs: Sequence[tuple[float, float]],
    answer: SequentialAnswer,
    excess: Sequence[float],
    metrics: int,
    rules: Rules,
    most: int,
) -> MetricChange:
    differences = [b - a for a, b in pairs]
    found = MetricChange(
        metric=name,
        unit=metric.unit,
        better=metric.better,
        before=statistics.fmean(a for a, _ in pairs),
        after=statistics.fmean(b for _, b in pairs),
        interval=mean_interval(differences),
        level=_LEVELS.get(answer, GateLevel.INCONCLUSIVE),
    )
    if answer is SequentialAnswer.UNCONFIRMED:
        return replace(found, reason="it looked worse at first, and did not when measured again")
    allowed = rules.fail_above * abs(found.before)
    if answer is SequentialAnswer.OPEN:
        least = detectable(statistics.stdev(excess), rules.false_alarms, metrics, most)
        size = format_value(least + allowed, metric.unit)
        word = "less" if metric.better == "higher" else "more"
        reason = f"with {most} pairs, {size} {word} is found in {POWER:.0%} of cases"
        return replace(found, reason=reason)
    if (
        answer is SequentialAnswer.NOT_WORSE
        and chance([-each - 2 * allowed for each in excess]) < 0.025
    ):
        return replace(found, level=GateLevel.BETTER)
    return found


def _value(metric: Metric) -> float:
    return statistics.median(metric.samples)


def _check(before: Run, after: Run) -> None:
    named = before.board.model_copy(update={"name": after.board.name})
    if why := refusal(after, before.model_copy(update={"board": named})):
        raise UsageError(f"{before.id} and {after.id} cannot be held against each other: {why}")
