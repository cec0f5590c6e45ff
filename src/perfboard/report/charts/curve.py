# SPDX-License-Identifier: Apache-2.0
"""A meter's trace over a boot: power over time, with the boot's phases.

Pure geometry, in pixels from the top left corner; a template turns it into SVG.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.model.results.power import CurvePoint, PhasePower
from perfboard.report.charts.plot import (
    CHARACTER,
    NARROW,
    WIDE,
    Band,
    Plane,
    PlotLayout,
    Text,
    band_labels,
    short_value,
)
from perfboard.report.charts.waterfall import Axis, tick_step

_HEIGHT = 0.5
_LONGEST = 24


@dataclass(frozen=True)
class PlotCurve(Plane):
    """The drawing: the path of the mean, the area from the lowest to the highest, the phases."""

    mean: str
    between: str
    bands: tuple[tuple[float, float], ...]
    labels: tuple[Text, ...]


def curves(
    points: Sequence[CurvePoint], phases: Sequence[PhasePower], unit: str
) -> tuple[tuple[str, PlotCurve], ...]:
    """The curve drawn wide and narrow; none of less than two points."""
    if len(points) < 2:
        return ()
    layouts = (("wide", WIDE), ("narrow", NARROW))
    return tuple((name, draw(points, phases, unit, layout)) for name, layout in layouts)


def draw(
    points: Sequence[CurvePoint], phases: Sequence[PhasePower], unit: str, layout: PlotLayout
) -> PlotCurve:
    """The curve on a plane whose axes begin at the first point, and at 0 or below."""
    font = layout.font
    most = max(max(point.highest for point in points), 1e-12) * 1.05
    least = min(0.0, *(point.lowest for point in points))
    step = 10 ** math.floor(math.log10(most - least))
    step *= next(f for f in (0.2, 0.5, 1.0, 2.0) if (most - least) / (f * step) <= 6)
    values = [n * step for n in range(math.ceil(least / step), math.floor(most / step) + 1)]
    names = [short_value(value, unit) if value else f"0 {unit}" for value in values]
    left = (1 + max(map(len, names))) * font * CHARACTER + 8
    right = layout.width - font
    axis = Axis(round(points[0].t_s * 1e9), round(points[-1].t_s * 1e9), left, right)
    found = [
        Band(
            axis.x(round(phase.start_s * 1e9)),
            axis.x(round((phase.start_s + phase.seconds) * 1e9)),
            _short(phase.title),
        )
        for phase in phases
        if phase.start_s is not None
    ]
    labels, rows = band_labels(found, lambda x: x, left, right, font)
    top = font * (1.9 + 1.25 * rows)
    bottom = top + layout.plot * _HEIGHT

    def place(t_s: float, value: float) -> str:
        y = bottom - (value - least) / (most - least) * (bottom - top)
        return f"{axis.x(round(t_s * 1e9)):.1f} {y:.1f}"

    up = [place(point.t_s, point.highest) for point in points]
    down = [place(point.t_s, point.lowest) for point in reversed(points)]
    between_ns = tick_step(axis.end_ns - axis.start_ns, round((right - left) / (font * 6)))
    first = math.ceil(axis.start_ns / between_ns)
    ticks = [n * between_ns for n in range(first, axis.end_ns // between_ns + 1)]
    return PlotCurve(
        width=layout.width,
        height=bottom + font * 3,
        font=font,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=tuple(
            Text(axis.x(t_ns), bottom + font * 1.3, short_value(t_ns / 1e9, "s") if t_ns else "0 s")
            for t_ns in ticks
        ),
        y_ticks=tuple(
            Text(
                left - 6,
                bottom - (value - least) / (most - least) * (bottom - top) + font * 0.35,
                name,
                "end",
            )
            for value, name in zip(values, names, strict=True)
        ),
        titles=(Text(0, font, "power" if unit == "W" else "current", "start"),),
        mean="M" + "L".join(place(point.t_s, point.mean) for point in points),
        between="M" + "L".join([*up, *down]) + "Z",
        bands=tuple((band.low, band.high) for band in found[::2]),
        labels=labels,
    )


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"
