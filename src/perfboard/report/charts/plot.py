# SPDX-License-Identifier: Apache-2.0
"""A graph of lines over a logarithmic plane: where lines, marks, ticks and labels lie.

Pure geometry, in pixels from the top left corner; a template turns it into SVG.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from perfboard.model.units import format_size, format_value

# A fair guess for the widest of the usual system fonts, in units of the font's size.
CHARACTER = 0.6
COLOURS = 6
MARKS = 7
# The least that lies between the marks of a line, in pixels.
_BETWEEN_MARKS = 30


@dataclass(frozen=True)
class PlotLine:
    """Points above 0 in order of x. `look` numbers the colour and the mark that it has."""

    label: str
    points: tuple[tuple[float, float], ...]
    look: int
    dashed: bool = False
    thin: bool = False


@dataclass(frozen=True)
class Band:
    """A stretch of the x axis that is pointed out."""

    low: float
    high: float
    label: str


@dataclass(frozen=True)
class Graph:
    """A graph to draw: `x` names the axis, bytes where `x_bytes`, else counts; `y` is in `unit`.

    `more` are lines of the same kind that are not drawn, but are among its figures.
    """

    title: str
    caption: str
    x: str
    x_bytes: bool
    y: str
    unit: str
    lines: tuple[PlotLine, ...]
    bands: tuple[Band, ...] = ()
    more: tuple[PlotLine, ...] = ()


@dataclass(frozen=True)
class PlotLayout:
    """Sizes in pixels; `plot` is the height of the plane alone."""

    width: float
    plot: float
    font: float
    mark: float


WIDE = PlotLayout(width=1080, plot=380, font=13, mark=3.6)
NARROW = PlotLayout(width=358, plot=290, font=14, mark=3.2)


@dataclass(frozen=True)
class Stroke:
    """A line as drawn: the path of the line, that of its marks, and its place in the legend."""

    line: PlotLine
    colour: int
    path: str
    marks: str
    key_x: float
    key_y: float
    key_mark: str


@dataclass(frozen=True)
class Text:
    """A text as drawn: `y` is its baseline."""

    x: float
    y: float
    text: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Plane:
    """A drawing over two axes; `left`, `right`, `top`, `bottom` bound its plane."""

    width: float
    height: float
    font: float
    left: float
    right: float
    top: float
    bottom: float
    x_ticks: tuple[Text, ...]
    y_ticks: tuple[Text, ...]
    titles: tuple[Text, ...]


@dataclass(frozen=True)
class PlotDrawing(Plane):
    """The whole graph."""

    bands: tuple[tuple[float, float], ...]
    band_labels: tuple[Text, ...]
    strokes: tuple[Stroke, ...]
    key: float


def draw(graph: Graph, layout: PlotLayout) -> PlotDrawing:
    """Puts a graph with a point or more onto a plane. Raises ValueError where it has none."""
    xs = [x for line in graph.lines for x, _ in line.points]
    ys = [y for line in graph.lines for _, y in line.points]
    font = layout.font
    low, high = _widened(min(ys), max(ys), 1.15)
    values = _y_values(low, high, int(layout.plot / (font * 2)))
    names = [short_value(value, graph.unit) for value in values]
    left = max(len(name) for name in [*names, "1 ns"]) * font * CHARACTER + 8
    right = layout.width - font
    across = _scale(*_widened(min(xs), max(xs), 1.03), left, right)
    labels, rows = band_labels(graph.bands, across, left, right, font)
    top = font * (1.9 + 1.25 * rows)
    bottom = top + layout.plot
    upwards = _scale(low, high, bottom, top)
    strokes, height = _strokes(graph.lines, across, upwards, layout, bottom + font * 3.6)
    return PlotDrawing(
        width=layout.width,
        height=height,
        font=font,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=tuple(_x_ticks(graph, across, min(xs), max(xs), bottom + font * 1.3, layout)),
        y_ticks=tuple(
            Text(left - 6, upwards(value) + font * 0.35, name, "end")
            for value, name in zip(values, names, strict=True)
        ),
        titles=(
            Text(0, font, graph.y, "start"),
            Text(right, bottom + font * 2.6, graph.x, "end"),
        ),
        bands=tuple((across(band.low), across(band.high)) for band in graph.bands),
        band_labels=labels,
        strokes=strokes,
        key=font * 2.2,
    )


def _widened(low: float, high: float, factor: float) -> tuple[float, float]:
    factor = max(factor, 1.5) if high / low < factor else factor
    return low / factor, high * factor


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """Maps low to start and high to end, evenly by ratio."""
    span = math.log(high / low)
    return lambda value: start + math.log(value / low) / span * (end - start)


def _y_values(low: float, high: float, most: int) -> list[float]:
    """Round values from low to high: 1, 2 and 5 in each decade, or as many as there is room for."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for digits in ((1, 2, 5), (1, 3), (1,)):
        values = [d * 10.0**p for p in range(first, last + 1) for d in digits]
        values = [value for value in values if low <= value <= high]
        if len(values) <= most:
            return values
    return values[:: -(-len(values) // most)]


def short_value(value: float, unit: str) -> str:
    """A round value, short: `10 ns` and not `10.00 ns`."""
    number, _, name = format_value(value, unit).partition(" ")
    return f"{float(number.replace(',', '')):g} {name}".strip()


def _x_ticks(
    graph: Graph,
    across: Callable[[float], float],
    low: float,
    high: float,
    y: float,
    layout: PlotLayout,
) -> Iterator[Text]:
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    names = {p: format_size(2**p) if graph.x_bytes else f"{2.0**p:g}" for p in powers if p >= 0}
    widest = max(map(len, names.values()), default=0) * layout.font * CHARACTER
    step = 1
    while step * (across(2) - across(1)) < widest + layout.font * 0.4:
        step += 1
    for power, name in names.items():
        x = across(2.0**power)
        if power % step == 0 and x + len(name) * layout.font * CHARACTER / 2 <= layout.width:
            yield Text(x, y, name)


def band_labels(
    bands: Sequence[Band],
    across: Callable[[float], float],
    left: float,
    right: float,
    font: float,
) -> tuple[tuple[Text, ...], int]:
    """The bands' labels above the plane, each in the first row where it meets no other."""
    ends: list[float] = []
    placed: list[tuple[float, int, str]] = []
    for band in sorted(bands, key=lambda band: band.low):
        half = len(band.label) * font * CHARACTER / 2
        middle = (across(band.low) + across(band.high)) / 2
        x = min(max(middle, left + half), right - half)
        row = next((i for i, end in enumerate(ends) if end + font * 0.5 <= x - half), len(ends))
        ends[row:] = [x + half, *ends[row + 1 :]]
        placed.append((x, row, band.label))
    rows = len(ends)
    return (
        tuple(Text(x, font * (1.45 + 1.25 * (rows - row)), label) for x, row, label in placed),
        rows,
    )


def _strokes(
    lines: Sequence[PlotLine],
    across: Callable[[float], float],
    upwards: Callable[[float], float],
    layout: PlotLayout,
    top: float,
) -> tuple[tuple[Stroke, ...], float]:
    """The lines, with the legend below the plane in columns; and where that ends."""
    font = layout.font
    widest = max(len(line.label) for line in lines) * font * CHARACTER + font * 3.4
    columns = max(1, min(len(lines), int(layout.width / widest)))
    rows = -(-len(lines) // columns)
    strokes = []
    for place, line in enumerate(lines):
        x = (place // rows) * layout.width / columns
        y = top + (place % rows) * font * 1.5
        pixels = [(across(a), upwards(b)) for a, b in line.points]
        shape = line.look % MARKS
        strokes.append(
            Stroke(
                line=line,
                colour=line.look % COLOURS,
                path="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in pixels),
                marks="".join(_mark(shape, a, b, layout.mark) for a, b in _marked(pixels, line)),
                key_x=x,
                key_y=y,
                key_mark=_mark(shape, x + font * 1.1, y, layout.mark),
            )
        )
    return tuple(strokes), top + (rows - 1) * font * 1.5 + font * 0.8


def _marked(pixels: Sequence[tuple[float, float]], line: PlotLine) -> Iterator[tuple[float, float]]:
    """The points of a line with marks: apart, and not where the line next to it has them."""
    after = pixels[0][0] + (line.look % MARKS) * _BETWEEN_MARKS / MARKS
    if line.thin or len(pixels) == 1:
        after = pixels[0][0]
    for x, y in pixels:
        if x >= after:
            yield x, y
            after = x + _BETWEEN_MARKS


def _mark(shape: int, x: float, y: float, size: float) -> str:
    """The path of a mark: circle, square, triangle, diamond, the other triangle, cross, plus."""
    if shape == 0:
        arc = f"a{size} {size} 0 1 0"
        return f"M{x - size:.1f} {y:.1f}{arc} {2 * size} 0{arc} {-2 * size} 0z"
    return "".join(
        "M" + "L".join(f"{x + a * size:.1f} {y + b * size:.1f}" for a, b in corners) + end
        for corners, end in _SHAPES[shape]
    )


_SHAPES: dict[int, tuple[tuple[tuple[tuple[float, float], ...], str], ...]] = {
    1: ((((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)), "z"),),
    2: ((((0, -1.15), (1.1, 0.85), (-1.1, 0.85)), "z"),),
    3: ((((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)), "z"),),
    4: ((((0, 1.15), (1.1, -0.85), (-1.1, -0.85)), "z"),),
    5: ((((-0.9, -0.9), (0.9, 0.9)), ""), (((-0.9, 0.9), (0.9, -0.9)), "")),
    6: ((((-1.2, 0), (1.2, 0)), ""), (((0, -1.2), (0, 1.2)), "")),
}
