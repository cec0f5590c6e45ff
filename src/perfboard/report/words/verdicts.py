# SPDX-License-Identifier: Apache-2.0
"""Verdicts in words, the same on the terminal and in the report."""

from perfboard.model.budget import TOTAL
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import TIMED_UNITS, Evidence, NoVerdict, Outcome, Run, Verdict
from perfboard.model.units import format_value
from perfboard.report.words.evidence import EXTRAPOLATED, evidence_label

SIGNS: dict[str, str] = {
    Outcome.PASS: "\N{CHECK MARK}",
    Outcome.FAIL: "\N{BALLOT X}",
    Outcome.INCONCLUSIVE: "?",
}
# The sign of a row without a figure.
NO_SIGN = "\N{EN DASH}"


def verdict_sentence(verdict: Verdict, run: Run) -> str:
    """The value held against the budget, and what to do where it is inconclusive."""
    value, budget, low, high = (
        format_value(number, verdict.unit)
        for number in (verdict.value, verdict.budget, verdict.low, verdict.high)
    )
    start = f"usable {value} after reset" if verdict.name == TOTAL else f"{verdict.name} is {value}"
    if verdict.percentile is None and run.evidence in (Evidence.SILICON, Evidence.HOST):
        start += " on average"
    if verdict.name == TOTAL and run.board.firmware:
        start += ", without the firmware before it"
    metric = _metric_of(verdict, run)
    # A size or a count is as it is.
    stated = run.stated(metric) if verdict.unit in TIMED_UNITS else None
    label = evidence_label(run, metric)
    more = "boots" if metric.startswith("boot.") else "repetitions"
    if stated:
        start += f" ({label})"
    lack = stated.lack if stated else ""
    if verdict.outcome is Outcome.INCONCLUSIVE and verdict.low == verdict.high:
        return (
            f"{start}; the budget is {budget}, and one sample does not say how far the next "
            f"may be from it; more {more} do."
        )
    if verdict.outcome is Outcome.INCONCLUSIVE and stated:
        margin = "twice the worst error seen that is" if lack else "the model's margin that is"
        if label.endswith(EXTRAPOLATED):
            margin = "the margin of what was checked of the model it would be"
        return (
            f"{start}, but with {margin} {low} to {high}, which straddles the budget of {budget}; "
            f"figures of the real board narrow the margin, more {more} do not."
        )
    if verdict.outcome is Outcome.INCONCLUSIVE:
        down = ", down to how well its marks are known" if more == "boots" else ""
        return (
            f"{start}, but its interval, {low} to {high}, straddles the budget of {budget}; "
            f"more {more} narrow it{down}."
        )
    difference = format_value(abs(verdict.value - verdict.budget), verdict.unit)
    rests = f"; {lack}" if lack else ""
    if verdict.outcome is Outcome.PASS:
        return f"{start}, within the budget of {budget}, {difference} to spare{rests}."
    return f"{start}, {difference} beyond the budget of {budget}{rests}."


def _metric_of(verdict: Verdict, run: Run) -> str:
    """The metric of a verdict, which a profile has by the names of its rows."""
    rows = (row for result in run.results_of(ProfileResult) for row in result.rows)
    metric = next((row.metric for row in rows if row.name == verdict.metric), verdict.metric)
    return metric.partition("{")[0]


def no_verdict_sentence(missing: NoVerdict) -> str:
    """The budget, and why nothing was held against it."""
    budget = format_value(missing.budget, missing.unit)
    return f"{missing.name} was not held against the budget of {budget}: {missing.reason}."
