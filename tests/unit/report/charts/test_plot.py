# SPDX-License-Identifier: Apache-2.0
"""Graphs and histograms: everything inside the plane, in proportion, and told apart."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.report.charts.histogram import histogram
from perfboard.report.charts.plot import (
    CHARACTER,
    NARROW,
    WIDE,
    Band,
    Graph,
    PlotLayout,
    PlotLine,
    draw,
)

LAYOUTS = pytest.mark.parametrize("layout", [WIDE, NARROW])
positive = st.floats(1e-12, 1e12)
measured = st.floats(1e-100, 1e100)
points = st.dictionaries(st.integers(1, 2**40), positive, min_size=1, max_size=40)


def graph(*lines: PlotLine, bands: tuple[Band, ...] = (), unit: str = "s") -> Graph:
    return Graph("a title", "a caption", "size", True, "time", unit, lines, bands)


def line(found: dict[int, float], look: int = 0) -> PlotLine:
    return PlotLine("a line", tuple((x, found[x]) for x in sorted(found)), look)


def pixels(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path)]


@given(st.lists(points, min_size=1, max_size=8), st.sampled_from([WIDE, NARROW]))
def test_every_point_is_inside_the_plane_in_order(
    lines: list[dict[int, float]], layout: PlotLayout
) -> None:
    drawing = draw(graph(*(line(found, i) for i, found in enumerate(lines))), layout)
    for stroke in drawing.strokes:
        found = pixels(stroke.path)
        assert len(found) == len(stroke.line.points)
        for x, y in found:
            assert drawing.left - 0.1 <= x <= drawing.right + 0.1
            assert drawing.top - 0.1 <= y <= drawing.bottom + 0.1
        assert [x for x, _ in found] == sorted(x for x, _ in found)
        assert drawing.bottom < stroke.key_y < drawing.height


@given(points, st.sampled_from([WIDE, NARROW]), st.sampled_from(["s", "B/s"]))
def test_tick_labels_do_not_meet(found: dict[int, float], layout: PlotLayout, unit: str) -> None:
    drawing = draw(graph(line(found), unit=unit), layout)
    spans = [
        (tick.x - len(tick.text) * layout.font * CHARACTER / 2,
         tick.x + len(tick.text) * layout.font * CHARACTER / 2)
        for tick in drawing.x_ticks
    ]  # fmt: skip
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    heights = sorted(tick.y for tick in drawing.y_ticks)
    assert all(b - a >= layout.font * 0.9 for a, b in pairwise(heights))


@LAYOUTS
def test_labels_of_bands_stand_apart(layout: PlotLayout) -> None:
    bands = tuple(Band(2**p, 1.5 * 2**p, f"{2**p}-{2 * 2**p} KiB") for p in (10, 11, 12, 20))
    drawing = draw(graph(line({2**p: 1.0 * p for p in range(8, 24)}), bands=bands), layout)
    placed = [
        (text.y, text.x - len(text.text) * layout.font * CHARACTER / 2,
         text.x + len(text.text) * layout.font * CHARACTER / 2)
        for text in drawing.band_labels
    ]  # fmt: skip
    for i, (y, start, end) in enumerate(placed):
        assert start >= drawing.left - 0.1
        assert end <= drawing.right + 0.1
        assert y < drawing.top
        for other_y, other_start, other_end in placed[:i]:
            assert y != other_y or start >= other_end or end <= other_start


def test_lines_differ_in_colour_or_mark_for_as_many_as_there_are() -> None:
    lines = [line({2**p: 1.0 + look for p in range(10, 20)}, look) for look in range(12)]
    drawing = draw(graph(*lines), WIDE)
    shapes = [re.sub(r"[-\d.]+", "", stroke.key_mark) for stroke in drawing.strokes]
    assert (
        len({(stroke.colour, shape) for stroke, shape in zip(drawing.strokes, shapes, strict=True)})
        == 12
    )
    assert all(stroke.marks for stroke in drawing.strokes)


@given(st.lists(measured, min_size=1, max_size=200), st.sampled_from([WIDE, NARROW]))
def test_a_histogram_counts_each_sample_once(samples: list[float], layout: PlotLayout) -> None:
    drawn = histogram(samples, "s", ("late", "count"), layout)
    assert sum(int(bin.tooltip.rpartition(": ")[2].replace(",", "")) for bin in drawn.bins) == len(
        samples
    )
    for bin in drawn.bins:
        assert drawn.left - 0.1 <= bin.x <= bin.x + bin.width <= drawn.right + 0.1
        assert drawn.top - 0.1 <= bin.y <= bin.y + bin.height <= drawn.bottom + 0.1


def test_the_highest_bar_is_the_fullest() -> None:
    drawn = histogram([1e-6] * 30 + [1e-4] * 10, "s", ("late", "count"), WIDE)
    first, last = drawn.bins
    assert first.height == pytest.approx(3 * last.height)
    assert first.tooltip.endswith(": 30")
