# SPDX-License-Identifier: Apache-2.0
"""Metrics held against budgets, where the evidence allows it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.statistics.summary import judge
from perfboard.model.budget import Budget, MetricLimit
from perfboard.model.run import TIMED_UNITS, Evidence, Metric, NoVerdict, Verdict
from perfboard.model.timed_as import StatedMargin, TimedAs
from perfboard.model.units import format_between


@dataclass(frozen=True)
class Verdicts:
    """Metrics held against budgets: the verdicts, and the budgets without one."""

    verdicts: tuple[Verdict, ...] = ()
    no_verdicts: tuple[NoVerdict, ...] = ()


def hold_limits(
    limits: Iterable[MetricLimit],
    metrics: Sequence[Metric],
    evidence: Evidence,
    timed: TimedAs | None = None,
    *,
    has_model: bool = False,
) -> Verdicts:
    """Each limit held against all metrics of its name that have its labels; see `hold`.

    `timed` is the model that a virtual board's times are of.
    """
    verdicts: list[Verdict] = []
    missing: list[NoVerdict] = []
    for limit in limits:
        known = [metric for metric in metrics if metric.name == limit.metric]
        fitting = [metric for metric in known if limit.labels.items() <= metric.labels.items()]
        for metric in fitting:
            stated = timed.stated(metric.name) if timed else None
            held = hold(metric, limit.budget, evidence, stated=stated, has_model=has_model)
            verdicts += held.verdicts
            missing += held.no_verdicts
        if not fitting:
            reason = f"no {limit.metric} was measured"
            if known:
                each = "; ".join(map(label_name, known))
                reason = f"none of the figures has these labels: {each}"
            name = label_name(Metric(name=limit.metric, unit="1", labels=limit.labels, samples=()))
            missing.append(_none(name, limit.budget, reason))
    return Verdicts(tuple(verdicts), tuple(missing))


def hold(
    metric: Metric,
    budget: Budget,
    evidence: Evidence,
    *,
    stated: StatedMargin | None = None,
    precision: float = 0.0,
    has_model: bool = False,
) -> Verdicts:
    """A metric held against its budget; see `judge`.

    Counted instructions give no verdict on times and rates: they are work, not seconds. `has_model`
    tells whether the board has a timing model, and so whether it can be timed. Nor does a model of
    which nothing is known; `stated` is None for what is not timed. Nor do too few samples for a
    percentile, or a figure that is only known to lie between two.
    """
    timed = metric.unit in TIMED_UNITS
    name, stated = label_name(metric), stated if timed else None
    reason = budget.lacks(len(metric.samples))
    if timed and evidence is Evidence.COUNTED:
        remedy = (
            "use --set detail=timed"
            if has_model
            else "the board needs a timing model, [timing] in its file"
        )
        reason = counted_words(remedy)
    elif not metric.samples:
        reason = without_samples(metric)
    elif stated and stated.reach is None:
        reason = stated.lack
    if reason:
        return Verdicts(no_verdicts=(_none(name, budget, reason),))
    better = metric.model_copy(update={"better": "higher" if budget.least else "lower"})
    margin = stated.reach if stated else 0.0
    verdict = judge(better, budget.value, evidence, margin, precision, budget.percentile)
    return Verdicts((verdict.model_copy(update={"metric": name}),))


def without_samples(metric: Metric) -> str:
    """Why a metric without samples is held against nothing."""
    if metric.between is None:
        return "it has no samples"
    return f"all that is known of it is {format_between(*metric.between, metric.unit)}"


def counted_words(remedy: str) -> str:
    """Why counted instructions are not held against a budget in seconds."""
    return f"counted instructions say how much work there is, not how long it takes; {remedy}"


def _none(name: str, budget: Budget, reason: str) -> NoVerdict:
    found = NoVerdict(metric=name, unit=budget.unit, budget=budget.value, reason=reason)
    percentile = budget.percentile
    return found if percentile is None else found.model_copy(update={"percentile": percentile})
