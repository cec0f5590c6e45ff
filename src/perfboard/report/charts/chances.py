# SPDX-License-Identifier: Apache-2.0
"""The chance that boards keep a profile's budgets, over their price.

Pure geometry, in pixels from the top left corner; a template turns it into SVG.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perfboard.report.charts.plot import CHARACTER, Plane, PlotLayout, Text
from perfboard.report.charts.waterfall import tick_step

_TICKS = (0, 25, 50, 75, 90, 100)
_NAMED_FROM = 0.5
_UNPRICED = "price not known"


@dataclass(frozen=True)
class ChancePoint:
    """A board: its price, or None, the chance, and whether it can be recommended."""

    name: str
    price: float | None
    chance: float
    right: bool


@dataclass(frozen=True)
class ChanceDot:
    """A board as drawn."""

    x: float
    y: float
    right: bool
    tooltip: str


@dataclass(frozen=True)
class ChanceDrawing(Plane):
    """The whole chart; `sure` is the height from which on a board is recommended."""

    dots: tuple[ChanceDot, ...]
    names: tuple[Text, ...]
    sure: float


def draw_chances(
    points: Sequence[ChancePoint], sure: float, currency: str, layout: PlotLayout
) -> ChanceDrawing:
    """The boards on a plane; those without a price stand in a column of their own, at the right.

    Raises ValueError without points.
    """
    font = layout.font
    left, top = len("100 in 100") * font * CHARACTER + 8, font * 2.2
    bottom = top + layout.plot
    prices = [point.price for point in points if point.price is not None]
    # Half of the words on the column has to fit at its right.
    column = len(_UNPRICED) * font * CHARACTER + font
    priced = len(prices) < len(points)
    right = layout.width - font
    end = right - column if priced else right - font * 2
    most = max(prices, default=0.0) * 1.05 or 1.0

    def across(price: float | None) -> float:
        return right - column / 2 if price is None else left + price / most * (end - left)

    def upwards(chance: float) -> float:
        return bottom - chance * layout.plot

    dots = tuple(
        ChanceDot(across(point.price), upwards(point.chance), point.right, _words(point, currency))
        for point in points
    )
    return ChanceDrawing(
        width=layout.width,
        height=bottom + font * 3.2,
        font=font,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=tuple(
            Text(across(tick), bottom + font * 1.3, f"{tick:g}") for tick in _prices(prices, most)
        )
        + ((Text(across(None), bottom + font * 1.3, _UNPRICED),) if priced else ()),
        y_ticks=tuple(
            Text(left - 6, upwards(tick / 100) + font * 0.35, f"{tick} in 100", "end")
            for tick in _TICKS
        ),
        titles=(
            Text(0, font, "chance that all budgets are kept", "start"),
            *([Text(end, bottom + font * 2.7, f"price, {currency}", "end")] if prices else []),
        ),
        dots=dots,
        names=tuple(_names(points, dots, layout)),
        sure=upwards(sure),
    )


def _words(point: ChancePoint, currency: str) -> str:
    price = _UNPRICED if point.price is None else f"{point.price:g} {currency}"
    return f"{point.name}: {price}, {100 * point.chance:.0f} in 100"


def _prices(prices: Sequence[float], most: float) -> Iterator[float]:
    if not prices:
        return
    step = tick_step(round(most * 100), 6) / 100
    tick = 0.0
    while tick <= most:
        yield tick
        tick += step


def _names(
    points: Sequence[ChancePoint], dots: Sequence[ChanceDot], layout: PlotLayout
) -> Iterator[Text]:
    """The names of the likely boards, next to their dots, where they have room."""
    font = layout.font
    taken: list[tuple[float, float, float]] = []
    order = sorted(zip(points, dots, strict=True), key=lambda pair: not pair[0].right)
    for point, dot in order:
        if point.chance < _NAMED_FROM:
            continue
        width = len(point.name) * font * CHARACTER
        at_left = dot.x + font * 0.7 + width > layout.width
        begin = dot.x - font * 0.7 - width if at_left else dot.x + font * 0.7
        for step in range(12):
            y = dot.y + font * (0.35 + 1.1 * step)
            if all(
                abs(y - other) >= font or begin + width < low or begin > high
                for low, high, other in taken
            ):
                taken.append((begin, begin + width, y))
                yield Text(begin, y, point.name, "start")
                break
