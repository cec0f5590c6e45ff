# SPDX-License-Identifier: Apache-2.0
"""The waterfall: where each bar, label and tick of the chart lies.

Pure geometry, in pixels from the top left corner; a template turns it into SVG.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from perfboard.report.charts.lanes import Lane, LaneBar, Strip

_MIN_WIDTH = 1.0
_MERGE_GAP = 0.5
_PAD = 5.0
# A fair guess for the widest of the usual system fonts, in units of the font's size.
_CHARACTER = 0.62
# Room for a tick's label and the gap to the next, in the same units.
_TICK = 5.5


@dataclass(frozen=True)
class WaterfallLayout:
    """Sizes in pixels. `gutter` holds the lanes' titles; without one they stand above the lane.

    With `stacked`, a label stands above its bar instead of in it or next to it.
    """

    width: float
    gutter: float
    font: float
    row: float
    bar: float
    stacked: bool


WIDE = WaterfallLayout(width=1080, gutter=116, font=13, row=24, bar=18, stacked=False)
NARROW = WaterfallLayout(width=358, gutter=0, font=16, row=40, bar=12, stacked=True)


@dataclass(frozen=True)
class Box:
    """A bar as drawn, or several that lie too close together."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    tooltip: str
    longest: bool
    count: int = 1


@dataclass(frozen=True)
class Label:
    """A text as drawn: `y` is its baseline, `anchor` start or end, `full` what it shortens."""

    x: float
    y: float
    text: str
    full: str
    anchor: str = "start"
    kind: str = "beside"
    longest: bool = False


@dataclass(frozen=True)
class WaterfallDrawing:
    """The whole chart. `ticks` and `rules` are the x and y of grid lines.

    A tick too near to the right edge for its label has an empty one.
    """

    width: float
    height: float
    font: float
    left: float
    top: float
    ticks: tuple[tuple[float, str], ...]
    rules: tuple[float, ...]
    boxes: tuple[Box, ...]
    labels: tuple[Label, ...]


@dataclass(frozen=True)
class Axis:
    """Time along the chart's width."""

    start_ns: int
    end_ns: int
    left: float
    right: float

    def x(self, t_ns: int) -> float:
        """The pixel of an instant."""
        share = (t_ns - self.start_ns) / max(1, self.end_ns - self.start_ns)
        return self.left + share * (self.right - self.left)


def tick_step(span_ns: int, most: int) -> int:
    """Nanoseconds between ticks: the smallest of 1, 2, 5 times a power of ten that
    puts at most `most` steps into a span."""
    least = max(1.0, span_ns / max(1, most))
    power: int = 10 ** max(0, math.floor(math.log10(least)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


def draw(shown: tuple[Lane, ...], layout: WaterfallLayout, until_ns: int = 0) -> WaterfallDrawing:
    """Puts lanes onto a chart whose time axis runs from their first bar to their last.

    It runs at least to `until_ns`, so that charts below each other can have the same scale.
    """
    bars = [bar for lane in shown for row in lane.rows for bar in row.bars]
    axis = Axis(
        min(bar.start_ns for bar in bars),
        max(until_ns, *(bar.end_ns for bar in bars)),
        layout.gutter,
        layout.width - 1,
    )
    top = layout.font * 2
    y = top
    rules, boxes, labels = [], [], []
    for lane in shown:
        rules.append(y)
        y += 4
        beside = layout.gutter > 0
        if not beside:
            y += layout.font * 0.6
        labels.append(
            Label(0, y + layout.bar / 2 + layout.font * 0.36, lane.title, lane.title, kind="lane")
        )
        if not beside:
            y += layout.font * 1.5
        for row in lane.rows:
            drawn = list(_boxes(row.bars, axis, y + layout.row - layout.bar - 3, layout.bar))
            boxes += drawn
            labels.append(_label(row, drawn, axis, layout, y))
            y += layout.row
        y += 4
    rules.append(y)
    return WaterfallDrawing(
        width=layout.width,
        height=y + 1,
        font=layout.font,
        left=layout.gutter,
        top=top,
        ticks=tuple(_ticks(axis, layout)),
        rules=tuple(rules),
        boxes=tuple(boxes),
        labels=tuple(labels),
    )


def _boxes(bars: Iterable[LaneBar], axis: Axis, y: float, height: float) -> Iterator[Box]:
    pending: Box | None = None
    for bar in sorted(bars, key=lambda bar: bar.start_ns):
        width = max(_MIN_WIDTH, axis.x(bar.end_ns) - axis.x(bar.start_ns))
        x = min(axis.x(bar.start_ns), axis.right - width)
        tooltip = f"{bar.name}, {bar.duration}"
        box = Box(x, y, width, height, bar.kind, tooltip, bar.longest)
        if pending is None:
            pending = box
        elif x < pending.x + pending.width + _MERGE_GAP:
            right = max(pending.x + pending.width, x + width)
            count = pending.count + 1
            pending = Box(
                pending.x, y, right - pending.x, height, bar.kind, f"{count} close together",
                pending.longest or bar.longest, count,
            )  # fmt: skip
        else:
            yield pending
            pending = box
    if pending is not None:
        yield pending


def _label(row: Strip, boxes: list[Box], axis: Axis, layout: WaterfallLayout, y: float) -> Label:
    full = _named(row, math.inf, layout.font)
    needed = _text_width(full, layout.font)
    longest = any(box.longest for box in boxes)
    left, right = boxes[0].x, boxes[-1].x + boxes[-1].width
    if layout.stacked:
        text = _named(row, axis.right - axis.left, layout.font)
        x = max(axis.left, min(left, axis.right - _text_width(text, layout.font)))
        return Label(x, y + layout.font, text, full, longest=longest)
    middle = boxes[0].y + layout.bar / 2 + layout.font * 0.36
    rooms = {
        "inside": right - left - 2 * _PAD,
        "right": axis.right - right - _PAD,
        "left": left - axis.left - _PAD,
    }
    # A label is hard to read across several bars: there it stands only for lack of room.
    places = ("inside", "right", "left") if len(boxes) == 1 else ("right", "left")
    place = next((p for p in places if needed <= rooms[p]), max(rooms, key=lambda p: rooms[p]))
    text = _named(row, rooms[place], layout.font)
    if place == "inside":
        return Label(left + _PAD, middle, text, full, kind="inside", longest=longest)
    if place == "right":
        return Label(right + _PAD, middle, text, full, longest=longest)
    return Label(left - _PAD, middle, text, full, anchor="end", longest=longest)


def _named(row: Strip, room: float, font: float) -> str:
    """The row's name and duration, the name shortened where the room asks for it."""
    tail = f" \N{MIDDLE DOT} {row.duration}" if row.duration else ""
    if _text_width(row.name + tail, font) <= room:
        return row.name + tail
    kept = int(room / (font * _CHARACTER)) - len(tail) - 1
    return row.name[: max(0, kept)] + "\N{HORIZONTAL ELLIPSIS}" + tail


def _text_width(text: str, font: float) -> float:
    return len(text) * font * _CHARACTER


def _ticks(axis: Axis, layout: WaterfallLayout) -> Iterator[tuple[float, str]]:
    span = axis.end_ns - axis.start_ns
    step = tick_step(span, int((axis.right - axis.left) / (layout.font * _TICK)))
    name, size = next(
        (name, size)
        for name, size in (("s", 10**9), ("ms", 10**6), ("\N{MICRO SIGN}s", 10**3), ("ns", 1))
        if span >= 10 * size or size == 1
    )
    for t_ns in range(-(-axis.start_ns // step) * step, axis.end_ns + 1, step):
        text = f"{t_ns / size:,.10g} {name}"
        fits = axis.x(t_ns) + _text_width(text, layout.font) / 2 <= layout.width
        yield axis.x(t_ns), text if fits else ""
