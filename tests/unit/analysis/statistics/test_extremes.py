# SPDX-License-Identifier: Apache-2.0
"""What is enough, from the most that each run needed: against stalls of a known distribution."""

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.statistics.extremes import FEWEST_MAXIMA, enough

STALLS = 100
# Of 1000, chance alone puts one series of thirty outside of the bounds.
SERIES = 3000


def longest(chance: random.Random, count: int) -> list[float]:
    """The longest of a run's exponential stalls of mean 1, for each of so many runs."""
    return [-math.log1p(-(chance.random() ** (1 / STALLS))) for _ in range(count)]


@pytest.mark.parametrize(("runs", "share"), [(20, 0.9), (20, 0.99), (60, 0.95)])
def test_the_exact_size_is_within_the_interval_in_95_of_100(runs: int, share: float) -> None:
    chance = random.Random(runs)
    exact = -math.log(1 - share ** (1 / STALLS))
    found = [enough(longest(chance, runs), share) for _ in range(SERIES)]
    within = sum(one.low <= exact <= one.high for one in found) / SERIES
    assert 0.935 <= within <= 0.965
    assert statistics.median(one.value for one in found) == pytest.approx(exact, rel=0.1)


@given(
    st.lists(st.integers(1, 10**9), min_size=FEWEST_MAXIMA, max_size=30),
    st.integers(1, 10**6),
    st.integers(1, 1000),
)
def test_it_moves_and_stretches_with_the_runs(maxima: list[int], by: int, times: int) -> None:
    one = enough(maxima, 0.99)
    other = enough([times * each + by for each in maxima], 0.99)
    assert one.low <= one.value <= one.high
    for here, there in ((one.value, other.value), (one.low, other.low), (one.high, other.high)):
        assert there == pytest.approx(times * here + by, rel=1e-5, abs=1e-2)


def test_equal_runs_need_what_they_needed() -> None:
    assert enough([7.0] * 5, 0.9).high == 7


@pytest.mark.parametrize(("maxima", "share"), [([1, 2, 3, 4], 0.9), ([1, 2, 3, 4, 5], 1.0)])
def test_too_little_is_refused(maxima: list[int], share: float) -> None:
    with pytest.raises(ValueError, match="needs 5 maxima"):
        enough(maxima, share)
