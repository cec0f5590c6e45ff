# SPDX-License-Identifier: Apache-2.0
"""A meter's trace over a boot: few points with the trace's extremes, all of them on the plane."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.formats.power_table import PowerTrace
from perfboard.analysis.timeline.curve import power_curve
from perfboard.model.results.power import CurvePoint, PhasePower
from perfboard.report.charts.curve import curves, draw
from perfboard.report.charts.plot import NARROW, WIDE


def trace(hz: float, spike_s: float = 3.0) -> PowerTrace:
    seconds = np.arange(0, 10, 1 / hz)
    watts = np.where(seconds < 1, 0.0, 2.0)
    watts[round(spike_s * hz)] = 7.0
    return PowerTrace(seconds, None, watts)


@pytest.mark.parametrize("hz", [2, 1000, 100_000])
def test_a_spike_of_one_sample_is_in_the_picture(hz: float) -> None:
    points = power_curve(trace(hz), 1.0, 9.0)
    assert 2 <= len(points) <= 401
    assert max(point.highest for point in points) == 7
    assert [point.t_s for point in points] == sorted(point.t_s for point in points)
    # A little of before and behind the boot is seen.
    assert -0.25 <= points[0].t_s <= 0.3 and 7.5 <= points[-1].t_s <= 8.25
    assert all(point.lowest <= point.mean <= point.highest for point in points)
    (spike,) = (point for point in points if point.highest == 7)
    assert abs(spike.t_s - 2) < 0.05 + 1 / hz


def test_a_trace_that_has_nothing_of_the_boot_has_no_curve() -> None:
    assert power_curve(trace(100), 20.0, 30.0) == ()
    assert power_curve(trace(100), 5.0, 5.0) == ()
    assert curves((), (), "W") == ()


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30),
    st.lists(st.floats(0, 20), max_size=4),
    st.sampled_from([WIDE, NARROW]),
)
def test_all_lies_on_the_plane(values: list[float], starts: list[float], layout: object) -> None:
    points = [
        CurvePoint(t_s=float(i), lowest=value - 1, mean=value, highest=value + 2)
        for i, value in enumerate(values)
    ]
    phases = [
        PhasePower(
            name="a", title="kernel copy and decompression", seconds=1, samples=9, start_s=at
        )
        for at in starts
    ]
    made = draw(points, phases, "W", WIDE if layout is WIDE else NARROW)
    places = re.findall(r"[ML](-?[0-9.]+) (-?[0-9.]+)", made.mean + made.between)
    assert len(places) == 3 * len(points)
    for x, y in places:
        assert made.left - 0.1 <= float(x) <= made.right + 0.1
        assert made.top - 0.1 <= float(y) <= made.bottom + 0.1
    assert 2 <= len(made.y_ticks) <= 12 and made.x_ticks
