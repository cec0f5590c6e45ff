# SPDX-License-Identifier: Apache-2.0
"""Estimates over processes, and odd samples: their laws, and another implementation's word."""

import math
import random
import statistics

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from perfboard.analysis.statistics.bootstrap import FEWEST_PROCESSES, estimate, median_interval
from perfboard.analysis.statistics.outliers import odd_samples
from perfboard.model.run import Metric

values = st.floats(min_value=-1e6, max_value=1e6, allow_subnormal=False)
several = st.lists(values, min_size=FEWEST_PROCESSES, max_size=30)


def metric(groups: list[list[float]], better: str = "lower") -> Metric:
    return Metric.model_validate(
        {
            "name": "memory.latency",
            "unit": "s",
            "better": better,
            "samples": [x for group in groups for x in group],
            "processes": [number for number, group in enumerate(groups) for _ in group],
        }
    )


@pytest.mark.parametrize("count", [5, 6, 7, 8, 12, 21, 40])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_the_exact_interval_is_what_resampling_tends_to(count: int, confidence: float) -> None:
    # Spread out, so that the percentiles that resampling is near tell each other apart.
    data = [1.3**i for i in range(count)]
    found = median_interval(data, confidence)
    assert found is not None
    # A percentile that falls just between two values may come out as either.
    wide, narrow = (
        bootstrap(
            (numpy.array(data),),
            numpy.median,
            n_resamples=20_000,
            confidence_level=confidence + change,
            method="percentile",
            rng=numpy.random.default_rng(7),
        ).confidence_interval
        for change in (0.015, -0.015)
    )
    slack = 1e-9 * data[-1]
    assert wide.low - slack <= found.low <= narrow.low + slack
    assert narrow.high - slack <= found.high <= wide.high + slack


def test_five_processes_give_the_range() -> None:
    found = median_interval([3.0, 1.0, 2.0, 5.0, 4.0])
    assert found is not None
    assert (found.low, found.high) == (1.0, 5.0)


def test_too_few_processes_give_no_interval() -> None:
    assert median_interval([1.0, 1.0, 1.0, 1.0]) is None
    assert estimate(metric([[1.0] * 20] * 4)).interval is None
    assert estimate(metric([[1.0]])).precision == math.inf


@given(several)
def test_the_interval_holds_the_median_and_lies_within_the_values(data: list[float]) -> None:
    found = median_interval(data)
    assert found is not None
    slack = 1e-9 * max(map(abs, data))
    assert min(data) - slack <= found.low <= statistics.median(data) + slack
    assert statistics.median(data) - slack <= found.high <= max(data) + slack


@given(several)
def test_the_interval_of_the_negated_is_the_negated_interval(data: list[float]) -> None:
    there, back = median_interval(data), median_interval([-x for x in data])
    assert there is not None
    assert back is not None
    assert (there.low, there.high) == (-back.high, -back.low)


@given(several)
def test_more_confidence_gives_no_narrower_interval(data: list[float]) -> None:
    narrow, wide = median_interval(data, 0.8), median_interval(data, 0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low <= narrow.low <= narrow.high <= wide.high


@given(several, st.randoms())
def test_the_order_of_processes_does_not_matter(data: list[float], mixer: random.Random) -> None:
    mixed = list(data)
    mixer.shuffle(mixed)
    assert median_interval(mixed) == median_interval(data)


def test_many_processes_narrow_the_interval_without_a_jump() -> None:
    source = random.Random(3)
    widths = []
    for count in (50, 190, 210, 1000, 50_000):
        data = sorted(source.gauss(0, 1) for _ in range(count))
        found = median_interval(data)
        assert found is not None
        widths.append((found.high - found.low) * math.sqrt(count))
    # 2 x 1.96 x sqrt(pi / 2): the normal law's own.
    assert all(3.0 < width < 7.5 for width in widths)


def test_each_process_counts_once_however_many_samples_it_gave() -> None:
    groups = [[1.0] * 99, [2.0], [3.0, 3.5, 2.5], [4.0], [5.0]]
    found = estimate(metric(groups))
    assert (found.best, found.median, found.processes) == (1.0, 3.0, 5)
    assert estimate(metric(groups, "higher")).best == 5.0
    assert found.precision == pytest.approx(2 / 3)


def test_equal_values_are_known_precisely_even_at_zero() -> None:
    assert estimate(metric([[0.0]] * 5)).precision == 0
    assert estimate(metric([[-1.0], [0.0], [0.0], [0.0], [1.0]])).precision == math.inf


def test_without_processes_each_sample_is_its_own() -> None:
    bare = metric([[1.0], [2.0], [3.0], [4.0], [9.0]]).model_copy(update={"processes": ()})
    assert estimate(bare).median == 3.0


def test_a_far_sample_is_odd_and_the_others_are_not() -> None:
    assert odd_samples([10.0, 10.1, 9.9, 10.2, 9.8, 17.0]) == (5,)
    # Scores of 1.349 at most: 0.6745 * 0.77 / 0.385.
    assert odd_samples([10.0, 10.77, 9.23, 10.385, 9.615]) == ()


def test_a_far_sample_among_equal_ones_is_odd() -> None:
    assert odd_samples([5.0] * 20 + [6.0]) == (20,)
    assert odd_samples([5.0] * 20) == ()
    assert odd_samples([1.0, 9.0]) == ()


@given(st.lists(st.integers(-1000, 1000).map(float), min_size=3), st.integers(-50, 50))
def test_oddness_does_not_see_scale_or_shift(data: list[float], shift: int) -> None:
    assert odd_samples([4 * x + shift for x in data]) == odd_samples(data)


@given(st.lists(values, min_size=3))
def test_less_than_half_the_samples_are_odd(data: list[float]) -> None:
    assert len(odd_samples(data)) < len(data) / 2
