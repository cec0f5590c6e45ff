# SPDX-License-Identifier: Apache-2.0
"""A profile's budgets held against what was measured."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from perfboard.analysis.budget import without_samples
from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.profile.chances import BOUND, Prior, RowChance, chance_of, whole_chance
from perfboard.analysis.statistics.summary import judge
from perfboard.model.budget import Budget
from perfboard.model.profile import Count, KeyIssue, Part, Profile, Scenario
from perfboard.model.results.profile import (
    FigureName,
    ProfileResult,
    ProfileRow,
    PublishedRow,
    PublishedSource,
    RowOutcome,
)
from perfboard.model.run import TIMED_UNITS, Evidence, Metric, NoVerdict, Outcome, Verdict
from perfboard.model.text import nearest
from perfboard.model.timed_as import StatedMargin


@dataclass(frozen=True)
class NoFigure:
    """Why there is none; `failed`: the target broke down under the work."""

    reason: str
    failed: bool = False


# The metrics of a row's part, or the reason why there are none.
Look = Callable[[Part], tuple[Metric, ...] | NoFigure]
# A processor that is busy for this share of the time is what limits; below the other, a wait.
_BUSY, _WAITING = 0.9, 0.5
_NOTHING = Prior()


def conclude(
    profile: Profile,
    look: Look,
    evidence: Evidence,
    stated: Callable[[str], StatedMargin],
    only: Sequence[str] = (),
    prior: Prior = _NOTHING,
) -> ProfileResult:
    """Each row's verdict, and that of the whole.

    `stated` gives how near a virtual board's times of a metric are known to be; a scenario's are
    as its worst part's. `only` are the rows
    that were asked for; none: all. The others are there too, not measured. `prior` is what the
    probabilities rest on.
    """
    asked: tuple[KeyIssue | Scenario, ...] = (*profile.key_issue, *profile.scenario)
    rows: list[tuple[ProfileRow, RowChance]] = []
    for each in asked:
        if each.budget is None:
            continue
        asks = not only or each.name in only
        parts: Sequence[Part] = each.parts if isinstance(each, Scenario) else (each,)
        if not asks:
            found: tuple[Metric, str] | NoFigure = NoFigure("--only left it out")
        elif isinstance(each, Scenario):
            found = _sum(each, look, evidence)
        else:
            found = _metric(each, look, evidence)
        margin = max((stated(part.metric) for part in parts), key=_reach)
        row = _row(each, each.budget, found, evidence, margin)
        metric = None if isinstance(found, NoFigure) else found[0]
        names = [_metric(part, look, evidence) for part in parts] if metric else []
        name = " + ".join(label_name(own[0]) for own in names if not isinstance(own, NoFigure))
        chance = chance_of(row, metric, parts, name, evidence, prior)
        figures = _figures(parts, look) if asks else ()
        row = chance.noted(row.model_copy(update={"asked": asks, "figures": figures}))
        rows.append((row, chance))
    study = profile.published
    return ProfileResult(
        published=study and PublishedSource(source=study.source, board=study.board),
        profile=profile.profile.name,
        device=profile.profile.device,
        audience=profile.profile.audience,
        currency=profile.profile.currency,
        outcome=whole_outcome([row for row, _ in rows]),
        rows=tuple(row for row, _ in rows),
        probability=whole_chance(rows),
    )


def _reach(margin: StatedMargin) -> float:
    return math.inf if margin.reach is None else margin.reach


def verdicts_of(result: ProfileResult) -> tuple[tuple[Verdict, ...], tuple[NoVerdict, ...]]:
    """The verdicts of the rows of weight must, and those of them without one."""
    held = [judged(row) for row in result.rows if row.weight == "must"]
    return (
        tuple(each for each in held if isinstance(each, Verdict)),
        tuple(each for each in held if isinstance(each, NoVerdict)),
    )


def judged(row: ProfileRow) -> Verdict | NoVerdict | None:
    """The row's verdict, or why it has none.

    None if it failed without a figure: nothing was held against its budget.
    """
    if row.outcome == "fail" and row.value is None:
        return None
    if row.value is None or row.low is None or row.high is None:
        return NoVerdict(metric=row.name, unit=row.unit, budget=row.budget, reason=row.reason)
    own = {} if row.percentile is None else {"percentile": row.percentile}
    return Verdict(
        metric=row.name,
        unit=row.unit,
        budget=row.budget,
        value=row.value,
        low=row.low,
        high=row.high,
        outcome=Outcome(row.outcome),
        **own,
    )


def whole_outcome(rows: Sequence[ProfileRow]) -> RowOutcome:
    """That of the rows of weight must: fail if one fails, and pass only if all do.

    Without such rows nothing decides: not measured.
    """
    outcomes = {row.outcome for row in rows if row.weight == "must"} or {"not measured"}
    order: tuple[RowOutcome, ...] = ("fail", "not measured", "inconclusive")
    return next((each for each in order if each in outcomes), "pass")


def _metric(part: Part, look: Look, evidence: Evidence) -> tuple[Metric, str] | NoFigure:
    """The part's metric, and what limits it; or the reason why there is none."""
    found = look(part)
    if isinstance(found, NoFigure):
        return found
    fitting = [
        metric
        for metric in found
        if metric.name == part.metric and part.labels.items() <= metric.labels.items()
    ]
    if len(fitting) != 1:
        known = [
            ", ".join(f"{k}={v}" for k, v in metric.labels.items())
            for metric in found
            if metric.name == part.metric
        ]
        if not known:
            return NoFigure(f"{part.measure} gave no {part.metric}")
        asked = ", ".join(f"{k}={v}" for k, v in part.labels.items())
        if fitting:
            each = "; ".join(known)
            return NoFigure(
                f"{len(fitting)} figures of {part.metric} fit; name one by its labels: {each}"
            )
        near = nearest(asked, known).removesuffix(".")
        return NoFigure(f"{asked} fits none of {part.metric}'s: {'; '.join(known)}{near}")
    (metric,) = fitting
    if not metric.samples:
        return NoFigure(without_samples(metric))
    if part.labels.get(BOUND) == "likely":
        bounds = [each for each in found if each.name == metric.name and BOUND in each.labels]
        samples = tuple(sample for each in (*bounds, metric) for sample in each.samples)
        metric = metric.model_copy(update={"samples": samples})
    return metric, _limit(metric, found, evidence)


def _figures(parts: Sequence[Part], look: Look) -> tuple[FigureName, ...]:
    """All that the parts' measures gave, each once."""
    figures: list[FigureName] = []
    for part in parts:
        found = look(part)
        if not isinstance(found, NoFigure):
            figures += [FigureName(name=each.name, labels=each.labels) for each in found]
    return tuple(each for at, each in enumerate(figures) if each not in figures[:at])


def _limit(metric: Metric, found: Sequence[Metric], evidence: Evidence) -> str:
    """The cause that holds the board back, by the processor's share of the time."""
    stem = metric.name.rpartition(".")[0]
    busy = next(
        (m for m in found if m.name == f"{stem}.busy" and m.labels == metric.labels and m.samples),
        None,
    )
    if busy is None:
        return ""
    share = sum(busy.samples) / len(busy.samples)
    if share >= _BUSY:
        return f"the processor (busy for {share:.0%} of the time)"
    # On a live target others may have had the processor.
    if share <= _WAITING and evidence is Evidence.TIMED:
        return f"waits, not the processor (busy for {share:.0%} of the time)"
    return ""


def _sum(scenario: Scenario, look: Look, evidence: Evidence) -> tuple[Metric, str] | NoFigure:
    """The scenario's sum: of as many samples as the part with the fewest has."""
    metrics: list[tuple[Count, Metric]] = []
    for part in scenario.parts:
        found = _metric(part, look, evidence)
        if isinstance(found, NoFigure):
            return replace(found, reason=f"{part.measure}: {found.reason}")
        metrics.append((part, found[0]))
    first = metrics[0][1]
    count = min(len(metric.samples) for _, metric in metrics)
    samples = tuple(
        sum(part.count * metric.samples[number] for part, metric in metrics)
        for number in range(count)
    )
    return Metric(name=f"scenario.{scenario.name}", unit=first.unit, samples=samples), ""


def _row(
    asked: KeyIssue | Scenario,
    budget: Budget,
    found: tuple[Metric, str] | NoFigure,
    evidence: Evidence,
    margin: StatedMargin,
) -> ProfileRow:
    name = asked.metric if isinstance(asked, KeyIssue) else f"scenario.{asked.name}"

    empty = ProfileRow(
        name=asked.name,
        question=asked.question,
        weight=asked.weight,
        scenario=isinstance(asked, Scenario),
        metric=name,
        unit=budget.unit,
        budget=budget.value,
        budget_text=budget.text,
        because=asked.because,
        percentile=budget.percentile,
        least=budget.least,
        outcome="not measured",
        published=_published(asked) if isinstance(asked, KeyIssue) else None,
    )

    def without(reason: str, outcome: RowOutcome = "not measured") -> ProfileRow:
        return empty.model_copy(update={"reason": reason, "outcome": outcome})

    if isinstance(found, NoFigure):
        return without(found.reason, "fail" if found.failed else "not measured")
    metric, limit = found
    if lacks := budget.lacks(len(metric.samples)):
        return without(lacks)
    if metric.unit in TIMED_UNITS and evidence is Evidence.COUNTED:
        return without("counted instructions are no seconds; use detail=timed")
    better = metric.model_copy(update={"better": "higher" if budget.least else "lower"})
    exact = metric.unit not in TIMED_UNITS or evidence is not Evidence.TIMED
    # A figure between bounds has its interval already.
    as_it_is = Evidence.TIMED if BOUND in metric.labels else evidence
    known = exact or margin.reach is not None
    share = 0.0 if exact else margin.reach
    verdict = judge(better, budget.value, as_it_is, share, percentile=budget.percentile)
    held = {
        "outcome": verdict.outcome.value,
        "value": verdict.value,
        # No time, size, rate or share is less than nothing, though the mean of few samples may be.
        "low": max(verdict.low, 0.0) if known else None,
        "high": verdict.high if known else None,
        "limit": limit,
        "reason": "" if exact else margin.lack,
        "labels": metric.labels,
    }
    return empty.model_copy(update=held)


def _published(issue: KeyIssue) -> PublishedRow | None:
    if (its := issue.published) is None:
        return None
    return PublishedRow(value=its.figure.value, text=its.figure.text, of=its.of)
