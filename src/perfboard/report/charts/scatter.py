# SPDX-License-Identifier: Apache-2.0
"""Points of time over size, and the front of those that none beats: where all of it lies.

Pure geometry, in pixels from the top left corner; a template turns it into SVG.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perfboard.analysis.statistics.pareto import pareto_front
from perfboard.model.units import format_size, format_value
from perfboard.report.charts.plot import CHARACTER, Plane, PlotLayout, Text, short_value
from perfboard.report.charts.waterfall import tick_step

_NS = 10**9
_MARGIN = 0.08


@dataclass(frozen=True)
class ScatterPoint:
    """A combination: its bytes, its time in s, its name, and why it is not for the front, or ""."""

    size: int
    seconds: float
    name: str
    excluded_because: str = ""


@dataclass(frozen=True)
class Dot:
    """A point as drawn, `hollow` if excluded; `number` is its place on the front, from 1, or 0."""

    x: float
    y: float
    number: int
    tooltip: str
    hollow: bool


@dataclass(frozen=True)
class Scatter(Plane):
    """The whole chart; `path` is the front's, in steps, and `front` its points in order.

    If all points are excluded there is no front, and the path is "".
    """

    dots: tuple[Dot, ...]
    path: str
    front: tuple[ScatterPoint, ...]


def scatter(points: Sequence[ScatterPoint], titles: tuple[str, str], layout: PlotLayout) -> Scatter:
    """The points on a plane whose axes are even. Raises ValueError without points."""
    sizes = [point.size for point in points]
    times = [round(point.seconds * _NS) for point in points]
    low, high = _widened(min(sizes), max(sizes))
    first, last = _widened(min(times), max(times))
    font = layout.font
    ticks = list(_multiples(first, last, tick_step(round(last - first), 6)))
    names = [short_value(tick / _NS, "s") for tick in ticks]
    left = max(len(name) for name in [*names, "1 ms"]) * font * CHARACTER + 8
    right, top = layout.width - font, font * 1.9
    bottom = top + layout.plot

    def x(size: float) -> float:
        return left + (size - low) / (high - low) * (right - left)

    def y(time: float) -> float:
        return bottom - (time - first) / (last - first) * (bottom - top)

    places = [place for place, point in enumerate(points) if not point.excluded_because]
    front = [places[n] for n in pareto_front((sizes[place], times[place]) for place in places)]
    numbers = {place: number for number, place in enumerate(front, 1)}
    dots = [
        Dot(
            x(point.size),
            y(times[place]),
            numbers.get(place, 0),
            f"{point.name}: {format_value(point.seconds, 's')}, {format_size(point.size)}"
            + (f", {point.excluded_because}" if point.excluded_because else ""),
            bool(point.excluded_because),
        )
        for place, point in enumerate(points)
    ]
    return Scatter(
        width=layout.width,
        height=bottom + font * 3.2,
        font=font,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=tuple(
            Text(x(size), bottom + font * 1.3, format_size(size))
            for size in _multiples(low, high, _size_step(high - low, layout))
            if x(size) + font * 3 <= layout.width
        ),
        y_ticks=tuple(
            Text(left - 6, y(tick) + font * 0.35, name, "end")
            for tick, name in zip(ticks, names, strict=True)
        ),
        titles=(
            Text(0, font, titles[1], "start"),
            Text(right, bottom + font * 2.7, titles[0], "end"),
        ),
        # The marks of the front lie on top of the others.
        dots=tuple(sorted(dots, key=lambda dot: dot.number)),
        path=_stairs([(x(sizes[place]), y(times[place])) for place in front], right),
        front=tuple(points[place] for place in front),
    )


def _widened(low: float, high: float) -> tuple[float, float]:
    room = (high - low) * _MARGIN
    # Next to numbers as great, less is lost in the rounding.
    if room <= abs(high) * 1e-12:
        room = max(1.0, abs(high) * _MARGIN)
    # Nothing is below zero, unless a damaged record says so.
    return (max(0.0, low - room) if low >= 0 else low - room), high + room


def _multiples(low: float, high: float, step: int) -> Iterator[int]:
    yield from range(math.ceil(low / step) * step, math.floor(high) + 1, step)


def _size_step(span: float, layout: PlotLayout) -> int:
    """Bytes between ticks: the smallest power of two whose names have room."""
    most = max(1, int(layout.width / (layout.font * CHARACTER * 12)))
    step = 1
    while step * most < span:
        step *= 2
    return step


def _stairs(corners: Sequence[tuple[float, float]], right: float) -> str:
    """A path that goes right from each corner up to the next, and then down to it."""
    if not corners:
        return ""
    path = f"M{corners[0][0]:.1f} {corners[0][1]:.1f}"
    for x, y in corners[1:]:
        path += f"H{x:.1f}V{y:.1f}"
    return f"{path}H{right:.1f}"
