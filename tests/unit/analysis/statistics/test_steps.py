# SPDX-License-Identifier: Apache-2.0
"""Steps in series."""

import statistics
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import ours, score

from perfboard.analysis.statistics.steps import Segment, segments

VALUES = st.lists(st.floats(0.1, 1e6), max_size=40)


def test_a_step_is_where_the_level_changes() -> None:
    quiet = [1.0, 1.01, 0.99, 1.0, 1.01, 0.99, 1.0]
    values = [*quiet, *(value + 1 for value in quiet)]
    assert segments(values) == [Segment(0, 7, 1.0), Segment(7, 14, 2.0)]
    assert segments(quiet) == [Segment(0, 7, 1.0)]


def test_a_lone_value_is_no_step_but_where_runs_repeat() -> None:
    values = [1.0] * 5 + [2.0] + [1.0] * 5
    assert len(segments(values)) == 1
    assert [each.start for each in segments(values, fewest=1)] == [0, 5, 6]
    assert [each.start for each in segments([1.0, 1.0, 1.0, 2.0], fewest=1)] == [0, 3]


def test_small_steps_are_left_out() -> None:
    values = [100.0] * 5 + [100.2] * 5 + [110.0] * 5
    assert [each.start for each in segments(values, 1)] == [0, 5, 10]
    assert [each.start for each in segments(values, 1, least=0.005)] == [0, 10]


@given(VALUES, st.integers(1, 4), st.sampled_from([0.0, 0.005, 0.5]))
def test_segments_cover_the_series_with_their_medians(
    values: list[float], fewest: int, least: float
) -> None:
    found = segments(values, fewest, least)
    assert [each.start for each in found] == [0, *(each.stop for each in found[:-1])][: len(found)]
    assert not values or found[-1].stop == len(values)
    for each in found:
        assert each.level == statistics.median(values[each.start : each.stop])
        assert len(found) == 1 or each.stop - each.start >= fewest
    for one, two in pairwise(found):
        assert abs(two.level - one.level) > least * abs(one.level)


@given(VALUES, st.floats(0.01, 100))
def test_the_unit_does_not_matter(values: list[float], factor: float) -> None:
    # Powers of two scale without rounding.
    power = 2.0 ** round(factor)
    scaled = segments([value * power for value in values])
    assert [each.start for each in scaled] == [each.start for each in segments(values)]


@given(st.lists(st.integers(1, 4), min_size=4, max_size=20))
def test_without_noise_every_change_is_a_step(levels: list[int]) -> None:
    values = [float(level) for level in levels for _ in range(3)]
    changes = [3 * place for place in range(1, len(levels)) if levels[place] != levels[place - 1]]
    assert [each.start for each in segments(values, 3)] == [0, *changes]


@pytest.mark.parametrize("noise", ["normal", "heavy (Student's t of 3)"])
def test_most_steps_of_three_deviations_are_found_and_few_that_are_none(noise: str) -> None:
    found = score(ours, noise, 3, 40, seed=7)
    assert found.precision >= 0.95
    assert found.recall >= 0.9
    assert score(ours, noise, 0, 40, seed=7).false_per_series <= 0.05
