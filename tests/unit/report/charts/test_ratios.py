# SPDX-License-Identifier: Apache-2.0
"""All ratios around 1: each has its mark, in text and as drawn."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.report.charts.plot import NARROW, WIDE, PlotLayout
from perfboard.report.charts.ratios import RatioLane, RatioMark, draw_ratios, text_ratios

USES = ("held-out", "development", "calibration", "")
MARKS = dict(zip(USES, "●○+\N{MULTIPLICATION SIGN}", strict=True))
LANES = st.lists(
    st.builds(
        RatioLane,
        st.text(min_size=1, max_size=22),
        st.none() | st.floats(0.001, 20),
        st.lists(
            st.builds(
                RatioMark,
                st.floats(-1, 1e6) | st.just(0.0) | st.just(1.0),
                st.sampled_from(USES),
                st.just("a"),
            ),
            max_size=30,
        ).map(tuple),
    ),
    min_size=1,
    max_size=6,
)


@given(LANES, st.sampled_from([WIDE, NARROW]))
def test_each_ratio_has_a_mark_inside_the_drawing_that_meets_no_other(
    lanes: list[RatioLane], layout: PlotLayout
) -> None:
    drawing = draw_ratios(lanes, layout)
    assert len(drawing.marks) == sum(len(lane.marks) for lane in lanes)
    r = drawing.radius
    for mark in drawing.marks:
        assert r <= mark.x <= drawing.width - r
        assert drawing.top <= mark.y - r and mark.y + r <= drawing.bottom
    for one, other in zip(drawing.marks, drawing.marks[1:], strict=False):
        if one is not other and one.y == other.y:
            assert abs(one.x - other.x) >= 2 * r
    for band in drawing.bands:
        assert band.x >= 0 and band.x + band.width <= drawing.width


@given(LANES)
def test_each_ratio_has_a_character_in_the_text(lanes: list[RatioLane]) -> None:
    lines = list(text_ratios([RatioLane("x", lane.margin, lane.marks) for lane in lanes]))
    assert max(map(len, lines)) <= 80
    found = Counter("".join(lines))
    wanted = Counter(MARKS[mark.use] for lane in lanes for mark in lane.marks)
    assert {mark: found[mark] for mark in MARKS.values()} == {
        mark: wanted[mark] for mark in MARKS.values()
    }


def test_the_axis_is_even_by_ratio_around_one() -> None:
    marks = tuple(RatioMark(ratio, "held-out", "a") for ratio in (0.8, 1.0, 1.25))
    drawing = draw_ratios([RatioLane("core", 0.1, marks)], WIDE)
    low, one, high = (mark.x for mark in drawing.marks)
    assert one == drawing.one and one - low == pytest.approx(high - one)
    (band,) = drawing.bands
    assert low < band.x < one < band.x + band.width < high
    line, axis = text_ratios([RatioLane("core", 0.1, marks)])
    assert line.startswith("core")
    assert [mark for mark in line if mark in "[●]"] == [*"●[●]●"]
    assert axis[line.index("●", line.index("["))] == "1"


def test_a_ratio_beyond_the_axis_lies_at_its_end() -> None:
    marks = tuple(RatioMark(ratio, "held-out", "a") for ratio in (0.0, 1.0, 900.0))
    drawing = draw_ratios([RatioLane("core", None, marks)], NARROW)
    low, one, high = (mark.x for mark in drawing.marks)
    assert low < one < high <= drawing.width
    assert drawing.marks[2].tooltip == "a: 900"
