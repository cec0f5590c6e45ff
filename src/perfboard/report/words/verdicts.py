# SPDX-License-Identifier: Apache-2.0
"""Verdicts in words, the same on the terminal and in the report."""

from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Evidence, NoVerdict, Outcome, Run, Verdict
from perfboard.model.units import format_value
from perfboard.report.words.evidence import EXTRAPOLATED, evidence_label


def verdict_sentence(verdict: Verdict, run: Run) -> str:
    """The value held against the budget, and what to do where it is inconclusive."""
    value, budget, low, high = (
        format_value(number, verdict.unit)
        for number in (verdict.value, verdict.budget, verdict.low, verdict.high)
    )
    start = (
        f"usable {value} after reset"
        if verdict.metric == "boot.total"
        else f"{verdict.metric} is {value}"
    )
    if run.evidence in (Evidence.SILICON, Evidence.HOST):
        start += " on average"
    if verdict.metric == "boot.total" and run.board.firmware:
        start += ", without the firmware before it"
    metric = _metric_of(verdict, run)
    stated = run.stated(metric)
    label = evidence_label(run, metric)
    if stated:
        start += f" ({label})"
    lack = stated.lack if stated else ""
    if verdict.outcome is Outcome.INCONCLUSIVE and verdict.low == verdict.high:
        return (
            f"{start}; the budget is {budget}, and one sample does not say how far the next "
            "may be from it; more boots do."
        )
    if verdict.outcome is Outcome.INCONCLUSIVE and stated:
        margin = "twice the worst error seen that is" if lack else "the model's margin that is"
        if label.endswith(EXTRAPOLATED):
            margin = "the margin of what was checked of the model it would be"
        return (
            f"{start}, but with {margin} {low} to {high}, which straddles the budget of {budget}; "
            "figures of the real board narrow the margin, more boots do not."
        )
    if verdict.outcome is Outcome.INCONCLUSIVE:
        return (
            f"{start}, but its interval, {low} to {high}, straddles the budget of {budget}; "
            "more boots narrow it, down to how well its marks are known."
        )
    difference = format_value(abs(verdict.value - verdict.budget), verdict.unit)
    rests = f"; {lack}" if lack else ""
    if verdict.outcome is Outcome.PASS:
        return f"{start}, within the budget of {budget}, {difference} to spare{rests}."
    return f"{start}, {difference} beyond the budget of {budget}{rests}."


def _metric_of(verdict: Verdict, run: Run) -> str:
    """The metric of a verdict, which a profile has by the names of its rows."""
    rows = (row for result in run.results_of(ProfileResult) for row in result.rows)
    return next((row.metric for row in rows if row.name == verdict.metric), verdict.metric)


def no_verdict_sentence(missing: NoVerdict) -> str:
    """The budget, and why nothing was held against it."""
    budget = format_value(missing.budget, missing.unit)
    return f"{missing.metric} was not held against the budget of {budget}: {missing.reason}."
