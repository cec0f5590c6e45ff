# SPDX-License-Identifier: Apache-2.0
"""Durations in a board file: by time or by cycles, exact to half a femtosecond."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from perfboard.model.timing.duration import Duration


@given(st.integers(0, 10**9), st.integers(0, 999), st.integers(10**6, 10**10))
def test_durations_are_exact(whole: int, thousandths: int, hz: int) -> None:
    if whole < 10**7:
        text = f"{whole}.{thousandths:03} ns"
        assert Duration(text).femtoseconds(hz) == whole * 10**6 + thousandths * 10**3
    cycles = Duration(f"{whole}.{thousandths:03} cycles").femtoseconds(hz)
    exact = (whole + Fraction(thousandths, 1000)) * 10**15 / hz
    assert abs(cycles - exact) <= Fraction(1, 2)


@given(st.text(max_size=20))
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    try:
        assert Duration(text).femtoseconds(10**9) >= 0
    except ValueError as error:
        assert "duration" in str(error) or "longer" in str(error)
