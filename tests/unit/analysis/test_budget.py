# SPDX-License-Identifier: Apache-2.0
"""Times held against budgets, and the evidence that is no time."""

from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.budget import hold, hold_limits
from perfboard.analysis.statistics.summary import judge
from perfboard.model.budget import parse_limits, total_limit
from perfboard.model.run import Evidence, Metric
from perfboard.model.timed_as import StatedMargin, TimedAs
from tests.support.runs import QUANTITIES

SAMPLES = st.lists(st.floats(0, 1e6), min_size=1, max_size=5)


@given(SAMPLES, QUANTITIES, st.sampled_from(Evidence), st.booleans())
def test_a_budget_in_seconds_has_a_verdict_or_a_reason(
    samples: list[float], budget_s: float, evidence: Evidence, has_model: bool
) -> None:
    metric = Metric(name="boot.total", unit="s", samples=tuple(samples))
    held = hold(metric, total_limit(budget_s).budget, evidence, has_model=has_model)
    if evidence is not Evidence.COUNTED:
        assert (held.verdicts, held.no_verdicts) == ((judge(metric, budget_s, evidence),), ())
        return
    assert held.verdicts == ()
    (missing,) = held.no_verdicts
    assert (missing.metric, missing.unit, missing.budget) == ("boot.total", "s", budget_s)
    # What to do depends on whether the board can be timed.
    assert ("--set detail=timed" in missing.reason) == has_model
    assert ("[timing]" in missing.reason) != has_model


def _rate(streams: int, *samples: float) -> Metric:
    labels = {"streams": str(streams)}
    return Metric(name="network.rate", unit="B/s", labels=labels, samples=samples)


def test_a_limit_is_of_all_figures_of_its_name_or_of_those_with_its_labels() -> None:
    metrics = [_rate(1, 11e6, 11.1e6), _rate(4, 9e6, 9.1e6)]
    held = hold_limits(parse_limits(["network.rate >= 80 Mbit/s"]), metrics, Evidence.HOST)
    assert {each.name: each.outcome for each in held.verdicts} == {
        "network.rate{streams=1}": "pass",
        "network.rate{streams=4}": "fail",
    }
    one = parse_limits(["network.rate{streams=1} >= 80 Mbit/s"])
    assert len(hold_limits(one, metrics, Evidence.HOST).verdicts) == 1
    none = parse_limits(["network.rate{streams=2} >= 80 Mbit/s", "disk.rate >= 1 MB/s"])
    held = hold_limits(none, metrics, Evidence.HOST)
    assert held.verdicts == ()
    assert [each.name for each in held.no_verdicts] == ["network.rate{streams=2}", "disk.rate"]
    assert "network.rate{streams=4}" in held.no_verdicts[0].reason
    assert held.no_verdicts[1].reason == "no disk.rate was measured"


def test_a_size_is_held_on_a_board_whose_times_are_not_known() -> None:
    timed = TimedAs(part="A7", margin_source="", margins={})
    metrics = [
        Metric(name="boot.total", unit="s", samples=(1.0,)),
        Metric(name="image.kernel.size", unit="B", samples=(1e6,)),
    ]
    limits = parse_limits(["boot.total <= 3 s", "image.kernel.size <= 2 MB"])
    held = hold_limits(limits, metrics, Evidence.TIMED, timed)
    assert [each.name for each in held.verdicts] == ["image.kernel.size"]
    assert [each.reason for each in held.no_verdicts] == [StatedMargin().lack]


def test_what_is_only_known_to_lie_between_two_is_held_against_nothing() -> None:
    metric = Metric(name="boot.total", unit="s", samples=(), between=(1.0, 2.0))
    held = hold(metric, total_limit(3.0).budget, Evidence.SILICON)
    assert [each.reason for each in held.no_verdicts] == [
        "all that is known of it is 1.000 to 2.000 s"
    ]


def test_a_percentile_needs_its_samples_and_says_how_many() -> None:
    (limit,) = parse_limits(["media.record.frame p99 <= 20 ms"])
    few = Metric(name="media.record.frame", unit="s", samples=(0.01,) * 999)
    held = hold(few, limit.budget, Evidence.HOST)
    assert held.verdicts == () and held.no_verdicts[0].name == "media.record.frame p99"
    assert "p99 needs at least 1,000 samples, and there are 999" in held.no_verdicts[0].reason
    # Twice the budget in eleven of a thousand: its interval has the budget within it.
    samples = (0.01,) * 989 + (0.04,) * 11
    enough = few.model_copy(update={"samples": samples})
    (verdict,) = hold(enough, limit.budget, Evidence.HOST).verdicts
    assert (verdict.outcome, verdict.percentile) == ("inconclusive", 99)
    assert (verdict.low, verdict.value, verdict.high) == (0.01, 0.04, 0.04)
    rare = few.model_copy(update={"samples": (0.01,) * 999 + (0.04,)})
    (verdict,) = hold(rare, limit.budget, Evidence.HOST).verdicts
    assert verdict.outcome == "pass"
