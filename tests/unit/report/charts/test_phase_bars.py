# SPDX-License-Identifier: Apache-2.0
"""Bars of what each phase gains or loses."""

import pytest

from perfboard.report.charts import plot
from perfboard.report.charts.phase_bars import phase_bars


def test_bars_of_gains_and_losses_meet_at_zero() -> None:
    titles = {"a": "first", "b": "second"}
    drawing = phase_bars([("one", {"a": 0.2, "b": -0.1})], titles, plot.WIDE)
    gain, loss = drawing.pieces
    assert gain.x == pytest.approx(drawing.zero)
    assert loss.x + loss.width == pytest.approx(drawing.zero)
    assert gain.width == pytest.approx(2 * loss.width)


def test_bars_of_nothing_have_no_pieces() -> None:
    assert phase_bars([("one", {"a": 0.0})], {"a": "first"}, plot.NARROW).pieces == ()
