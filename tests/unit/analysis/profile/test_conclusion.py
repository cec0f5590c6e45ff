# SPDX-License-Identifier: Apache-2.0
"""Budgets held against what workloads measured."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.profile.conclusion import Look, NoFigure, conclude, verdicts_of
from perfboard.model.profile import Part, Profile
from perfboard.model.run import Evidence, Metric
from perfboard.model.timed_as import StatedMargin

ISSUE: dict[str, Any] = {
    "name": "fast",
    "question": "Is it fast?",
    "workload": "work",
    "metric": "work.time",
    "labels": {"size": "large"},
    "budget": "<= 2 s",
}


PART = {key: ISSUE[key] for key in ("workload", "metric", "labels")}


def within(share: float) -> Callable[[str], StatedMargin]:
    """What is known of each metric's times."""
    return lambda metric: StatedMargin(share=share)


def profile(*issues: dict[str, Any], **more: Any) -> Profile:
    head = {"name": "box", "device": "A box", "for": "us"}
    table = {"schema": "perfboard.profile/1", "profile": head, "key_issue": list(issues), **more}
    return Profile.model_validate(table)


def gives(*samples: float, size: str = "large", busy: float | None = None) -> Look:
    metrics = [Metric(name="work.time", unit="s", labels={"size": size}, samples=samples)]
    if busy is not None:
        metrics.append(Metric(name="work.busy", unit="1", labels={"size": size}, samples=(busy,)))
    return lambda part: tuple(metrics)


@pytest.mark.parametrize(
    ("samples", "evidence", "margin", "outcome"),
    [
        ((1.0,), Evidence.TIMED, 0.2, "pass"),
        ((1.9,), Evidence.TIMED, 0.2, "inconclusive"),
        ((2.6,), Evidence.TIMED, 0.2, "fail"),
        ((1.0,), Evidence.COUNTED, 0.0, "not measured"),
        ((1.0, 1.1, 1.2), Evidence.HOST, 0.0, "pass"),
        # One sample of a real machine tells nothing.
        ((1.0,), Evidence.HOST, 0.0, "inconclusive"),
    ],
)
def test_a_row_has_the_verdict_of_its_interval(
    samples: tuple[float, ...], evidence: Evidence, margin: float, outcome: str
) -> None:
    result = conclude(profile(ISSUE), gives(*samples), evidence, within(margin))
    verdicts, missing = verdicts_of(result)
    (row,) = result.rows
    assert row.outcome == result.outcome == outcome
    assert len(verdicts) + len(missing) == 1
    if verdicts:
        assert verdicts[0].metric == "fast"
        assert row.low is not None and row.high is not None and row.value is not None
        assert row.low <= row.value <= row.high


def test_a_row_that_should_pass_never_decides() -> None:
    should = {**ISSUE, "name": "nice", "budget": "<= 1 ms", "weight": "should"}
    result = conclude(profile(ISSUE, should), gives(1.0), Evidence.TIMED, within(0.1))
    verdicts, _ = verdicts_of(result)
    assert [row.outcome for row in result.rows] == ["pass", "fail"]
    assert result.outcome == "pass" and [v.metric for v in verdicts] == ["fast"]


def test_a_budget_may_be_the_least_that_does() -> None:
    least = {**ISSUE, "budget": ">= 2 s"}
    for value, outcome in ((3.0, "pass"), (1.0, "fail")):
        result = conclude(profile(least), gives(value), Evidence.TIMED, within(0.1))
        assert result.outcome == outcome


@pytest.mark.parametrize(
    ("bounds", "outcome"),
    [((1.0, 1.4, 1.9), "pass"), ((1.0, 1.4, 2.1), "inconclusive"), ((2.1, 2.2, 3.0), "fail")],
)
def test_a_figure_with_bounds_is_judged_by_them(bounds: tuple[float, ...], outcome: str) -> None:
    metrics = tuple(
        Metric(name="work.size", unit="B", labels={"bound": bound}, samples=(value * 1e6,))
        for bound, value in zip(("least", "likely", "most"), bounds, strict=True)
    )
    issue = {**ISSUE, "metric": "work.size", "labels": {"bound": "likely"}, "budget": "<= 2 MB"}
    (row,) = conclude(profile(issue), lambda part: metrics, Evidence.HOST, within(0.0)).rows
    assert row.outcome == outcome
    assert (row.low, row.value, row.high) == tuple(value * 1e6 for value in bounds)


def test_a_row_has_the_margin_of_its_metric_and_a_scenario_the_largest() -> None:
    def margin_for(metric: str) -> StatedMargin:
        return StatedMargin(share=0.5 if metric == "work.other" else 0.1)

    parts = [{**PART, "metric": name} for name in ("work.time", "work.other")]
    scenario = {"name": "use", "question": "Is it?", "budget": "<= 9 s", "parts": parts}
    metrics = tuple(
        Metric(name=name, unit="s", labels={"size": "large"}, samples=(1.0,))
        for name in ("work.time", "work.other")
    )
    wanted = profile(ISSUE, scenario=[scenario])
    rows = conclude(wanted, lambda part: metrics, Evidence.TIMED, margin_for).rows
    assert [row.high for row in rows] == pytest.approx([1.1, 3.0])


@pytest.mark.parametrize(
    ("stated", "budget", "outcome", "words"),
    [
        (StatedMargin(worst=0.3, rows=2), "<= 1.7 s", "pass", "2 figures were checked, the worst"),
        (StatedMargin(worst=0.3, rows=2), "<= 1.5 s", "inconclusive", "the worst 30% off"),
        (StatedMargin(worst=0.3, rows=2), "<= 0.6 s", "fail", "twice that is allowed for"),
        (StatedMargin(), "<= 99 s", "inconclusive", "no figure of the real part"),
        (StatedMargin(share=0.3), "<= 1.5 s", "pass", ""),
    ],
)
def test_without_a_margin_a_row_rests_on_twice_the_worst_error_seen(
    stated: StatedMargin, budget: str, outcome: str, words: str
) -> None:
    asked = profile({**ISSUE, "budget": budget})
    (row,) = conclude(asked, gives(1.0), Evidence.TIMED, lambda metric: stated).rows
    assert (row.outcome, row.value) == (outcome, 1.0)
    assert words in row.reason and bool(row.reason) == bool(words)
    # A real machine has no model.
    (row,) = conclude(asked, gives(1.0, 1.0), Evidence.HOST, lambda metric: stated).rows
    assert row.reason == ""


def test_labels_that_fit_none_are_answered_with_those_there_are() -> None:
    result = conclude(profile(ISSUE), gives(1.0, size="small"), Evidence.TIMED, within(0.0))
    assert result.outcome == "not measured"
    assert "size=large fits none of work.time's: size=small" in result.rows[0].reason


def test_labels_that_fit_several_are_answered_with_those() -> None:
    issue = {key: value for key, value in ISSUE.items() if key != "labels"}
    metrics = tuple(
        Metric(name="work.time", unit="s", labels={"size": size}, samples=(1.0,))
        for size in ("small", "large")
    )
    result = conclude(profile(issue), lambda part: metrics, Evidence.TIMED, within(0.0))
    assert (
        result.rows[0].reason
        == "2 figures of work.time fit; name one by its labels: size=small; size=large"
    )


def test_a_reason_stands_in_the_row() -> None:
    def look(part: Part) -> NoFigure:
        return NoFigure("no room")

    result = conclude(profile(ISSUE), look, Evidence.HOST, within(0.0))
    assert result.rows[0].reason == "no room" and result.undecided and not result.failed
    assert [each.reason for each in verdicts_of(result)[1]] == ["no room"]


def test_no_interval_begins_below_nothing() -> None:
    look = gives(0.01, 0.01, 9.0)
    (row,) = conclude(profile(ISSUE), look, Evidence.HOST, within(0.0)).rows
    assert row.outcome == "inconclusive" and row.low == 0


def test_nothing_decides_where_no_row_must_pass() -> None:
    wanted = profile({**ISSUE, "weight": "should"})
    result = conclude(wanted, gives(1.0), Evidence.TIMED, within(0.0))
    assert result.rows[0].outcome == "pass" and result.outcome == "not measured"


def test_a_target_that_breaks_down_under_the_work_fails() -> None:
    def look(part: Part) -> NoFigure:
        return NoFigure("its memory ended", failed=True)

    result = conclude(profile(ISSUE), look, Evidence.HOST, within(0.0))
    assert result.rows[0].outcome == "fail" and result.failed and not result.undecided
    # Nothing was held against the budget.
    assert verdicts_of(result) == ((), ())


@pytest.mark.parametrize(
    ("busy", "evidence", "said"),
    [
        (0.99, Evidence.HOST, "the processor"),
        (0.2, Evidence.TIMED, "waits"),
        (0.2, Evidence.HOST, ""),
        (0.7, Evidence.TIMED, ""),
    ],
)
def test_what_limits_is_told_by_the_processors_share(
    busy: float, evidence: Evidence, said: str
) -> None:
    result = conclude(profile(ISSUE), gives(1.0, 1.0, busy=busy), evidence, within(0.0))
    limit = result.rows[0].limit
    assert limit.startswith(said) if said else not limit


@given(st.lists(st.tuples(st.floats(0.001, 1e3), st.floats(0.001, 1e3)), min_size=1, max_size=5))
def test_a_scenario_is_the_sum_of_its_parts(parts: list[tuple[float, float]]) -> None:
    counts = [
        {"workload": "work", "metric": "work.time", "parameters": {"n": n}, "count": count}
        for n, (count, _) in enumerate(parts)
    ]
    scenario = {"name": "day", "question": "A day?", "budget": "<= 1 s", "parts": counts}

    def look(part: Part) -> tuple[Metric, ...]:
        time = parts[int(part.parameters.get("n", 0))][1]
        return (Metric(name="work.time", unit="s", labels={"size": "large"}, samples=(time,)),)

    result = conclude(profile(ISSUE, scenario=[scenario]), look, Evidence.TIMED, within(0.0))
    assert result.rows[1].scenario
    assert result.rows[1].value == pytest.approx(sum(count * time for count, time in parts))


def test_a_budget_of_a_percentile_is_held_against_that_of_the_samples() -> None:
    issue = {**ISSUE, "budget": "p90 <= 2 s", "because": "one waits for so long"}
    samples = (1.0,) * 97 + (9.0,) * 3
    (row,) = conclude(profile(issue), gives(*samples), Evidence.HOST, within(0.0)).rows
    assert (row.outcome, row.value, row.percentile) == ("pass", 1.0, 90)
    assert row.because == "one waits for so long"
    ((verdict,), _) = verdicts_of(
        conclude(profile(issue), gives(*samples), Evidence.HOST, within(0))
    )
    assert verdict.percentile == 90
    (row,) = conclude(profile(issue), gives(1.0, 9.0), Evidence.HOST, within(0.0)).rows
    assert row.outcome == "not measured" and "at least 100 samples" in row.reason


def test_a_scenario_without_one_of_its_parts_says_which() -> None:
    part = {"workload": "work", "metric": "work.time", "parameters": {"n": 1}, "count": 2}
    scenario = {"name": "day", "question": "A day?", "budget": "<= 1 s", "parts": [part]}

    def look(part: Part) -> tuple[Metric, ...] | NoFigure:
        return NoFigure("it crashed") if part.parameters else gives(1.0)(part)

    result = conclude(profile(ISSUE, scenario=[scenario]), look, Evidence.TIMED, within(0.0))
    assert result.rows[1].reason == "work: it crashed"


def test_a_row_that_was_not_asked_for_is_not_measured() -> None:
    other = {**ISSUE, "name": "other", "budget": "<= 1 ms"}
    wanted = profile(ISSUE, other)
    result = conclude(wanted, gives(1.0), Evidence.TIMED, within(0.0), only=("fast",))
    assert [row.outcome for row in result.rows] == ["pass", "not measured"]
    assert [row.asked for row in result.rows] == [True, False]
    assert result.outcome == "not measured"
    (missing,) = verdicts_of(result)[1]
    assert missing.metric == "other" and missing.reason == "--only left it out"
