# SPDX-License-Identifier: Apache-2.0
"""Holm's correction."""

from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.statistics.holm import holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(1e-6, 0.5))
def test_holm_rejects_what_bonferroni_does_and_nothing_above_the_rate(
    chances: list[float], rate: float
) -> None:
    found = holm(chances, rate)
    for chance, rejected in zip(chances, found, strict=True):
        assert rejected or chance > rate / len(chances)
        assert not rejected or chance <= rate
    kept = [chance for chance, rejected in zip(chances, found, strict=True) if not rejected]
    gone = [chance for chance, rejected in zip(chances, found, strict=True) if rejected]
    assert not kept or not gone or max(gone) <= min(kept)


def test_holm_as_in_an_example_worked_by_hand() -> None:
    # 0.01 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2.
    assert holm([0.03, 0.01, 0.04, 0.015], 0.05) == [False, True, False, True]
