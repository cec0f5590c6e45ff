# SPDX-License-Identifier: Apache-2.0
"""Ratios around 1 on a logarithmic axis, a mark each, in lanes: as lines of text and as geometry.

The geometry is in pixels from the top left corner; a template turns it into SVG.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perfboard.report.charts.plot import CHARACTER, PlotLayout, Text

# The text's columns: titles, and the axis, which has its middle at 1.
TITLE, AXIS = 23, 57
# The axis goes at least from 1 over this to this, and at most so much further on either side.
_LEAST, _MOST = 1.25, 8.0
_TICKS = (1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0)
_MARKS = {"held-out": "\N{BLACK CIRCLE}", "development": "\N{WHITE CIRCLE}", "calibration": "+"}
_LACKING = "\N{MULTIPLICATION SIGN}"
# The legend of the text.
KEY = (
    f"{_MARKS['held-out']} checks the model, {_MARKS['development']} guides it, "
    f"{_MARKS['calibration']} sets it, {_LACKING} it lacks that, [ ] margin"
)
# From the middle of one mark to that of the next, in radii.
_APART = 2.3


@dataclass(frozen=True)
class RatioMark:
    """One ratio; `use` is that of its row, "" where the model is known to lack it.

    `beyond` says that it lies beyond its lane's margin, and counts against the model.
    """

    ratio: float
    use: str
    name: str
    beyond: bool = False


@dataclass(frozen=True)
class RatioLane:
    """The ratios of one kind; `margin` is the share that they lie within, None if not known."""

    title: str
    margin: float | None
    marks: tuple[RatioMark, ...]


@dataclass(frozen=True)
class DrawnMark:
    """A mark as drawn: `kind` is its use, or "lacking"."""

    x: float
    y: float
    kind: str
    beyond: bool
    tooltip: str


@dataclass(frozen=True)
class RatioBand:
    """A lane's margin as drawn."""

    x: float
    y: float
    width: float
    height: float
    tooltip: str


@dataclass(frozen=True)
class RatioDrawing:
    """The whole chart; `one` is where a ratio of 1 lies, `rules` part the lanes."""

    width: float
    height: float
    font: float
    radius: float
    left: float
    top: float
    bottom: float
    one: float
    ticks: tuple[Text, ...]
    titles: tuple[Text, ...]
    rules: tuple[float, ...]
    bands: tuple[RatioBand, ...]
    marks: tuple[DrawnMark, ...]


def draw_ratios(lanes: Sequence[RatioLane], layout: PlotLayout) -> RatioDrawing:
    """The lanes below each other, marks that would meet one above the other.

    A lane's title stands next to it, on a narrow layout above it. Raises ValueError without lanes.
    """
    font, radius = layout.font, layout.mark * 1.2
    beside = layout.width > 600
    longest = max(len(lane.title) for lane in lanes)
    left = longest * font * CHARACTER + font if beside else font * 0.5
    right, reach = layout.width - font * 1.5, _reach(lanes)
    middle, half = (left + right) / 2, (right - left) / 2

    def x(ratio: float) -> float:
        return middle + _place(ratio, reach) * half

    top = y = font * 1.8
    titles, rules, bands, marks = [], [], [], []
    for lane in lanes:
        rules.append(y)
        head = 0.0 if beside else font * 1.5
        drawn = sorted(lane.marks, key=lambda mark: x(mark.ratio))
        levels = _levels([x(mark.ratio) for mark in drawn], _APART * radius)
        height = (max(levels, default=0) + 1) * _APART * radius + radius * 1.6
        height = max(height, font * 1.9) if beside else height
        base = y + head + height - radius * 1.9
        titles.append(
            Text(left - font, y + height / 2 + font * 0.35, lane.title, "end")
            if beside
            else Text(0, y + font * 1.2, lane.title, "start")
        )
        if lane.margin is not None:
            low, high = x(1 / (1 + lane.margin)), x(1 + lane.margin)
            words = f"{lane.title}: the margin, ±{lane.margin:.0%}"
            bands.append(RatioBand(low, y + head, high - low, height, words))
        for mark, level in zip(drawn, levels, strict=True):
            spot = base - level * _APART * radius
            words = f"{mark.name}: {mark.ratio:.3g}"
            kind = mark.use or "lacking"
            marks.append(DrawnMark(x(mark.ratio), spot, kind, mark.beyond, words))
        y += head + height
    return RatioDrawing(
        width=layout.width,
        height=y + font * 2.9,
        font=font,
        radius=radius,
        left=left,
        top=top,
        bottom=y,
        one=middle,
        ticks=tuple(
            Text(x(ratio), y + font * 1.3, name)
            for ratio, name in _ticks(reach, half * 2, font * CHARACTER)
        ),
        titles=tuple(titles),
        rules=tuple(rules),
        bands=tuple(bands),
        marks=tuple(marks),
    )


def text_ratios(lanes: Sequence[RatioLane]) -> Iterator[str]:
    """The lanes as lines of text, with as many lines as marks meet, and their axis below them."""
    reach, half = _reach(lanes), AXIS // 2

    def column(ratio: float) -> int:
        return half + round(_place(ratio, reach) * half)

    for lane in lanes:
        drawn = sorted(lane.marks, key=lambda mark: column(mark.ratio))
        levels = _levels([column(mark.ratio) for mark in drawn], 1)
        for level in range(max(levels, default=0), -1, -1):
            cells = [" "] * AXIS
            cells[half] = "\N{BOX DRAWINGS LIGHT VERTICAL}"
            if lane.margin is not None:
                cells[column(1 / (1 + lane.margin))] = "["
                cells[column(1 + lane.margin)] = "]"
            for mark, own in zip(drawn, levels, strict=True):
                if own == level:
                    cells[column(mark.ratio)] = _MARKS.get(mark.use, _LACKING)
            title = lane.title if level == 0 else ""
            yield f"{title:{TITLE}}{''.join(cells)}".rstrip()
    line = [" "] * AXIS
    for ratio, name in _ticks(reach, AXIS - 1, 1):
        start = min(column(ratio) - len(name) // 2, AXIS - len(name))
        line[max(0, start) : max(0, start) + len(name)] = name
    yield f"{'':{TITLE}}{''.join(line)}".rstrip()


def _reach(lanes: Sequence[RatioLane]) -> float:
    """The logarithm of the greatest ratio that the axis shows; the least is one over that."""
    logs = [abs(math.log(m.ratio)) for lane in lanes for m in lane.marks if m.ratio > 0]
    logs += [math.log1p(lane.margin) for lane in lanes if lane.margin is not None]
    return min(math.log(_MOST), max(math.log(_LEAST), *logs, 0.0) * 1.04)


def _place(ratio: float, reach: float) -> float:
    """The place on the axis, from -1 to 1; what lies beyond it is at its end."""
    if ratio <= 0:
        return -1.0
    return max(-1.0, min(1.0, math.log(ratio) / reach))


def _levels(places: Sequence[float], apart: float) -> list[int]:
    """For each of the places in their order, the lowest level where it meets none before it."""
    ends: list[float] = []
    levels = []
    for place in places:
        level = next((n for n, end in enumerate(ends) if place - end >= apart), len(ends))
        ends[level:] = [place, *ends[level + 1 :]]
        levels.append(level)
    return levels


def _ticks(reach: float, width: float, character: float) -> list[tuple[float, str]]:
    """The ticks that there is room for: 1, and as many on either side as do not meet."""
    found, end = [(1.0, "1")], character
    for tick in _TICKS:
        place = math.log(tick) / reach * width / 2
        # The names below 1 are the longer ones.
        low, high = f"{1 / tick:.2f}", f"{tick:g}"
        half = max(len(low), len(high)) * character / 2
        if place - half >= end + character and place + half <= width / 2 + character:
            found += [(1 / tick, low), (tick, high)]
            end = place + half
    return sorted(found)
