# SPDX-License-Identifier: Apache-2.0
"""The front of those that none beats."""

from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.statistics.pareto import pareto_front

points = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=30)


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1] and one != other


@given(points)
def test_none_of_the_front_is_beaten_and_all_others_are(found: list[tuple[int, int]]) -> None:
    front = pareto_front(found)
    on_it = [found[place] for place in front]
    assert on_it == sorted(on_it)
    assert len(set(on_it)) == len(on_it)
    for point in found:
        beaten = any(_beats(other, point) for other in found)
        assert beaten != (point in on_it)
