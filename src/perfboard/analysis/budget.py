# SPDX-License-Identifier: Apache-2.0
"""Times held against budgets, where the evidence is seconds."""

from dataclasses import dataclass

from perfboard.analysis.statistics.summary import judge
from perfboard.model.run import Evidence, Metric, NoVerdict, Verdict
from perfboard.model.timed_as import StatedMargin


@dataclass(frozen=True)
class Verdicts:
    """Metrics held against budgets: the verdicts, and the budgets without one."""

    verdicts: tuple[Verdict, ...] = ()
    no_verdicts: tuple[NoVerdict, ...] = ()


def hold(
    metric: Metric,
    budget_s: float,
    evidence: Evidence,
    *,
    stated: StatedMargin | None = None,
    precision_s: float = 0.0,
    has_model: bool = False,
) -> Verdicts:
    """A time held against its budget; see `judge`.

    Counted instructions give no verdict: they are work, not seconds. `has_model` tells whether the
    board has a timing model, and so whether it can be timed. Nor does a model of which nothing is
    known; `stated` is None for what is not timed.
    """
    if evidence is Evidence.COUNTED:
        remedy = (
            "use --set detail=timed"
            if has_model
            else "the board needs a timing model, [timing] in its file"
        )
        return Verdicts(no_verdicts=(not_held(metric.name, metric.unit, budget_s, remedy),))
    if stated and stated.reach is None:
        missing = NoVerdict(
            metric=metric.name, unit=metric.unit, budget=budget_s, reason=stated.lack
        )
        return Verdicts(no_verdicts=(missing,))
    margin = stated.reach if stated else 0.0
    return Verdicts((judge(metric, budget_s, evidence, margin, precision_s),))


def not_held(metric: str, unit: str, budget: float, remedy: str) -> NoVerdict:
    """A budget in seconds that counted instructions were not held against."""
    reason = f"counted instructions say how much work there is, not how long it takes; {remedy}"
    return NoVerdict(metric=metric, unit=unit, budget=budget, reason=reason)
