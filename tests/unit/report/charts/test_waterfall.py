# SPDX-License-Identifier: Apache-2.0
"""The waterfall's geometry keeps its laws whatever a boot looks like."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.model.results.boot import Boot, Mark, Span
from perfboard.report.charts.lanes import OWN_ROWS, Lane, LaneBar, Strip, lanes
from perfboard.report.charts.waterfall import NARROW, WIDE, WaterfallLayout, draw, tick_step

NAMES = (
    "reset",
    "bootloader.main",
    "boot.command",
    "kernel.sched_init",
    "kernel.prepare_namespace",
    "init.exec",
    "exec:S10one",
    "exec:S20two",
    "usable",
)

layouts = st.sampled_from([WIDE, NARROW])
spans = st.builds(
    Span,
    kind=st.sampled_from(["initcall", "probe"]),
    name=st.text(max_size=60),
    start_ns=st.none() | st.integers(-(10**9), 10**11),
    duration_ns=st.integers(0, 10**10),
    returned=st.just(0),
)


@st.composite
def boots(draw_from: st.DrawFn) -> Boot:
    """Boots whose marks come in order, some of them missing."""
    present = draw_from(st.lists(st.booleans(), min_size=len(NAMES), max_size=len(NAMES)))
    times = sorted(
        draw_from(st.lists(st.integers(0, 10**11), min_size=len(NAMES), max_size=len(NAMES)))
    )
    marks = tuple(
        Mark(name=name, t_ns=t_ns, source="scope")
        for name, t_ns, there in zip(NAMES, times, present, strict=True)
        if there
    )
    return Boot(marks=marks, spans=tuple(draw_from(st.lists(spans, max_size=40))))


@given(boots(), layouts)
def test_boxes_lie_within_the_axis_and_rows_never_overlap(
    boot: Boot, layout: WaterfallLayout
) -> None:
    shown = lanes(boot)
    if not shown:
        return
    drawing = draw(shown, layout)
    rows: dict[float, list[tuple[float, float]]] = {}
    for box in drawing.boxes:
        assert box.width >= 1
        assert drawing.left - 1e-6 <= box.x <= box.x + box.width <= drawing.width
        assert drawing.top <= box.y < box.y + box.height <= drawing.height
        rows.setdefault(box.y, []).append((box.x, box.x + box.width))
    for row in rows.values():
        assert all(end <= start for (_, end), (start, _) in pairwise(row))
    tops = sorted(rows)
    assert all(upper + layout.bar <= lower for upper, lower in pairwise(tops))
    assert sum(box.count for box in drawing.boxes) == sum(
        len(row.bars) for lane in shown for row in lane.rows
    )


@given(st.lists(st.tuples(st.integers(0, 10**11), st.integers(0, 10**11)), min_size=1), layouts)
def test_widths_are_proportional_to_time(
    times: list[tuple[int, int]], layout: WaterfallLayout
) -> None:
    bars = [LaneBar("b", min(pair), max(pair), "phase") for pair in times]
    drawing = draw((Lane("l", tuple(Strip("b", "", (bar,)) for bar in bars)),), layout)
    start, end = min(bar.start_ns for bar in bars), max(bar.end_ns for bar in bars)
    room = layout.width - 1 - layout.gutter
    for bar, box in zip(bars, drawing.boxes, strict=True):
        wanted = room * (bar.end_ns - bar.start_ns) / max(1, end - start)
        assert box.width == pytest.approx(max(1, wanted), abs=1e-6)
        if wanted >= 1:
            left = layout.gutter + room * (bar.start_ns - start) / (end - start)
            assert box.x == pytest.approx(left, abs=1e-6)


@given(boots(), layouts)
def test_labels_stay_on_the_chart(boot: Boot, layout: WaterfallLayout) -> None:
    shown = lanes(boot)
    if not shown:
        return
    for label in draw(shown, layout).labels:
        width = len(label.text) * layout.font * 0.5
        left = label.x - width if label.anchor == "end" else label.x
        assert left >= 0
        assert left + width <= layout.width


@given(st.integers(0, 10**13), st.integers(1, 20))
def test_ticks_step_by_one_two_or_five(span: int, most: int) -> None:
    step = tick_step(span, most)
    assert str(step).rstrip("0") in ("1", "2", "5")
    assert span / step <= most
    assert step == 1 or span / most > step / 2.6


@pytest.mark.parametrize(
    ("span", "second"),
    [(1_102_734_592, "100 ms"), (25 * 10**9, "2 s"), (70_000, "10 µs"), (9, "1 ns")],
)
def test_ticks_are_named_in_the_unit_that_suits(span: int, second: str) -> None:
    ticks = draw((Lane("l", (Strip("b", "", (LaneBar("b", 0, span, "phase"),)),)),), WIDE).ticks
    assert ticks[1][1] == second


def test_a_tick_without_room_for_its_label_has_none() -> None:
    row = Strip("b", "", (LaneBar("b", 0, 1_000_000_000, "phase"),))
    assert draw((Lane("l", (row,)),), NARROW).ticks[-1][1] == ""


@given(st.text("name", min_size=80, max_size=90), layouts)
def test_a_long_name_is_shortened_but_its_duration_kept(name: str, layout: WaterfallLayout) -> None:
    rows = (
        Strip(name, "1.000 ms", (LaneBar(name, 0, 10**6, "phase"),)),
        Strip("b", "", (LaneBar("b", 0, 3 * 10**6, "phase"),)),
    )
    label = draw((Lane("l", rows),), layout).labels[1]
    assert label.full == f"{name} · 1.000 ms"
    assert label.text.endswith("… · 1.000 ms") or label.text == label.full


def boot_with(*given_spans: Span) -> Boot:
    return Boot(
        marks=tuple(
            Mark(name=name, t_ns=index * 10**8, source="scope") for index, name in enumerate(NAMES)
        ),
        spans=given_spans,
    )


def test_lanes_stand_in_the_order_of_the_boot() -> None:
    shown = lanes(boot_with(Span(kind="probe", name="p", start_ns=5, duration_ns=9, returned=0)))
    assert [lane.title for lane in shown] == [
        "bootloader",
        "kernel",
        "initcalls, driver probes",
        "user space",
    ]
    assert [(row.name, row.duration) for row in shown[3].rows] == [
        ("3.2 user space", "300.0 ms"),
        ("init itself", "100.0 ms"),
        ("S10one", "100.0 ms"),
        ("S20two", "100.0 ms"),
    ]


def test_short_spans_share_a_row_and_those_without_a_start_are_absent() -> None:
    many = [
        Span(kind="initcall", name=f"f{n}", start_ns=3 * 10**8, duration_ns=n, returned=0)
        for n in range(OWN_ROWS + 5)
    ]
    unplaced = Span(kind="probe", name="p", start_ns=None, duration_ns=10**9, returned=0)
    rows = lanes(boot_with(*many, unplaced))[2].rows
    assert len(rows) == OWN_ROWS + 1
    assert rows[-1].name == "5 shorter ones"
    assert sorted(bar.name for bar in rows[-1].bars) == ["f0", "f1", "f2", "f3", "f4"]


def test_boot_without_phases_has_no_lanes() -> None:
    assert lanes(Boot(marks=())) == ()
