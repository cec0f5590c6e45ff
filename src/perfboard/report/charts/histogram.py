# SPDX-License-Identifier: Apache-2.0
"""A histogram over a logarithmic axis: where its bars, ticks and labels lie.

Pure geometry, in pixels from the top left corner; a template turns it into SVG.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.model.units import format_value
from perfboard.report.charts.plot import CHARACTER, Plane, PlotLayout, Text, short_value
from perfboard.report.charts.waterfall import tick_step

# A bar is seen, however few samples it stands for.
_LEAST_HEIGHT = 2.0
_HEIGHT = 0.55


@dataclass(frozen=True)
class Bin:
    """Samples from `low` up to `high`, not included, as a bar."""

    x: float
    y: float
    width: float
    height: float
    tooltip: str


@dataclass(frozen=True)
class Histogram(Plane):
    """The whole histogram."""

    bins: tuple[Bin, ...]


def histogram(
    samples: Sequence[float], unit: str, titles: tuple[str, str], layout: PlotLayout
) -> Histogram:
    """The histogram of the samples above 0, ten bins a decade, five where there are many decades.

    `titles` name the axis of values and that of counts. Raises ValueError without
    samples above 0.
    """
    known = [sample for sample in samples if sample > 0]
    per_decade = 10 if max(known) / min(known) < 1000 else 5
    counts = Counter(math.floor(math.log10(sample) * per_decade) for sample in known)
    first, last = min(counts), max(counts) + 1
    most = max(counts.values())
    font = layout.font
    left = max(len(f"{most:,}"), 3) * font * CHARACTER + 8
    right = layout.width - font
    top, bottom = font * 1.9, font * 1.9 + layout.plot * _HEIGHT
    step = (right - left) / max(1, last - first)
    bins = []
    for place, count in sorted(counts.items()):
        height = max(_LEAST_HEIGHT, count / most * (bottom - top))
        low, high = (format_value(10 ** (p / per_decade), unit) for p in (place, place + 1))
        bins.append(
            Bin(
                left + (place - first) * step,
                bottom - height,
                step,
                height,
                f"{low} to {high}: {count:,}",
            )
        )
    count_step = tick_step(most, int(layout.plot * _HEIGHT / (font * 2)))
    return Histogram(
        width=layout.width,
        height=bottom + font * 3.2,
        font=font,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=tuple(_edges(first, last, per_decade, unit, left, step, layout, bottom)),
        y_ticks=tuple(
            Text(
                left - 6, bottom - count / most * (bottom - top) + font * 0.35, f"{count:,}", "end"
            )
            for count in range(0, most + 1, count_step)
        ),
        titles=(
            Text(0, font, titles[1], "start"),
            Text(right, bottom + font * 2.7, titles[0], "end"),
        ),
        bins=tuple(bins),
    )


def _edges(
    first: int,
    last: int,
    per_decade: int,
    unit: str,
    left: float,
    step: float,
    layout: PlotLayout,
    bottom: float,
) -> list[Text]:
    """Round values under the edges of the bins, as many as there is room for."""
    found: list[Text] = []
    end = -math.inf
    power = math.floor(first / per_decade)
    for decade in range(power, math.ceil(last / per_decade) + 1):
        for digit in (1, 1.5, 2, 3, 5, 7):
            value = digit * 10.0**decade
            x = left + (math.log10(value) * per_decade - first) * step
            name = short_value(value, unit)
            half = len(name) * layout.font * CHARACTER / 2
            if x - half >= max(left - half, end + layout.font * 0.4) and x + half <= layout.width:
                found.append(Text(x, bottom + layout.font * 1.3, name))
                end = x + half
    return found
