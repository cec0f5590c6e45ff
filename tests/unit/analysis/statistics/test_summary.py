# SPDX-License-Identifier: Apache-2.0
"""Summaries, intervals and verdicts, and the laws they keep."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perfboard.analysis.statistics.summary import (
    difference_interval,
    judge,
    mean_interval,
    summary,
)
from perfboard.model.run import Evidence, Metric, Outcome

values = st.floats(min_value=-1e6, max_value=1e6, allow_subnormal=False)
samples = st.lists(values, min_size=2, max_size=12)
ORDER = [Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS]


def near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6)


@given(st.lists(values, min_size=1))
def test_summary_is_ordered_and_spread_is_its_width(found: list[float]) -> None:
    result = summary(found)
    assert result.n == len(found)
    assert result.minimum <= result.median <= result.maximum
    assert result.spread == max(found) - min(found)


def test_summary_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="mean"):
        summary([])


@given(samples, samples)
def test_the_difference_swaps_its_sign_with_its_operands(a: list[float], b: list[float]) -> None:
    there, back = difference_interval(a, b), difference_interval(b, a)
    assert there is not None
    assert back is not None
    assert near(there.low, -back.high)
    assert near(there.high, -back.low)


@given(samples, samples, values)
def test_the_difference_does_not_see_a_common_shift(
    a: list[float], b: list[float], shift: float
) -> None:
    plain = difference_interval(a, b)
    shifted = difference_interval([x + shift for x in a], [x + shift for x in b])
    assert plain is not None
    assert shifted is not None
    assert math.isclose(plain.low, shifted.low, rel_tol=1e-3, abs_tol=1e-3)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1.0, 2.0, 4.0], [2.0, 2.5, 9.0, 4.0]),
        ([0.1, 0.1, 0.13], [0.2, 0.21]),
        ([5.0, 6.0], [5.5, 5.6, 5.7, 5.8, 5.9]),
    ],
)
def test_the_difference_is_as_another_implementation_has_it(a: list[float], b: list[float]) -> None:
    expected = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    found = difference_interval(a, b)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_no_variance_gives_an_interval_without_width() -> None:
    found = difference_interval([0.1] * 3, [0.3] * 3)
    assert found is not None
    assert found.low == found.high == pytest.approx(0.2)


def test_tiny_variances_do_not_underflow() -> None:
    assert difference_interval([0.0, 1e-200], [0.0, 2e-200]) is not None


@pytest.mark.parametrize(("a", "b"), [([1.0], [1.0, 2.0]), ([1.0, 2.0], [1.0]), ([], [1.0, 2.0])])
def test_fewer_than_two_samples_have_no_interval(a: list[float], b: list[float]) -> None:
    assert difference_interval(a, b) is None


def test_mean_interval_against_the_table_of_t() -> None:
    found = mean_interval([1.0, 2.0, 3.0])
    assert found is not None
    # t(0.975, 2) is 4.303 in the printed tables; the standard error is 1/sqrt(3).
    assert found.high - 2.0 == pytest.approx(4.303 / math.sqrt(3), abs=1e-3)
    assert mean_interval([1.0]) is None


def metric(found: list[float], better: str = "lower") -> Metric:
    return Metric(name="boot.total", unit="s", better=better, samples=tuple(found))


@pytest.mark.parametrize(
    ("found", "budget", "better", "outcome"),
    [
        ([1.0, 1.2], 1.2, "lower", Outcome.PASS),
        ([1.0, 1.2], 0.9, "lower", Outcome.FAIL),
        ([1.0, 1.2], 1.1, "lower", Outcome.INCONCLUSIVE),
        ([1.0, 1.2], 1.0, "higher", Outcome.PASS),
        ([1.0, 1.2], 1.3, "higher", Outcome.FAIL),
        ([1.0, 1.2], 1.1, "higher", Outcome.INCONCLUSIVE),
        ([1.0], 1.0, "lower", Outcome.PASS),
    ],
)
def test_verdicts_of_a_virtual_board(
    found: list[float], budget: float, better: str, outcome: Outcome
) -> None:
    verdict = judge(metric(found, better), budget, Evidence.COUNTED)
    assert verdict.outcome == outcome
    assert (verdict.low, verdict.high) == (min(found), max(found))


def test_a_real_board_is_judged_by_the_interval_of_its_mean() -> None:
    found = [1.0, 1.1, 1.2]
    assert judge(metric(found), 1.25, Evidence.SILICON).outcome == Outcome.INCONCLUSIVE
    assert judge(metric(found), 1.25, Evidence.TIMED).outcome == Outcome.PASS
    assert judge(metric(found), 1.5, Evidence.SILICON).outcome == Outcome.PASS


def test_how_far_all_samples_may_be_off_alike_widens_the_interval() -> None:
    found = [1.0, 1.01, 1.02]
    near, far = (judge(metric(found), 1.25, Evidence.SILICON, 0.0, off) for off in (0.0, 2.0))
    assert (near.outcome, far.outcome) == (Outcome.PASS, Outcome.INCONCLUSIVE)
    assert (near.low - far.low, far.high - near.high) == pytest.approx((2.0, 2.0))


def test_one_sample_of_a_real_board_decides_nothing() -> None:
    verdict = judge(metric([1.0]), 99.0, Evidence.SILICON)
    assert verdict.outcome == Outcome.INCONCLUSIVE


@given(samples, values, values, st.sampled_from(list(Evidence)))
def test_a_laxer_budget_never_worsens_the_verdict(
    found: list[float], a: float, b: float, evidence: Evidence
) -> None:
    strict, lax = sorted((a, b))
    ranks = [
        ORDER.index(judge(metric(found), budget, evidence).outcome) for budget in (strict, lax)
    ]
    assert ranks == sorted(ranks)
    mirrored = judge(metric([-x for x in found], "higher"), -strict, evidence)
    assert ORDER.index(mirrored.outcome) == ranks[0]
