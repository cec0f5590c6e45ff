# SPDX-License-Identifier: Apache-2.0
"""A series as a line on a page."""

import statistics
from dataclasses import dataclass
from itertools import pairwise

from perfboard.history.series import MetricSeries

# Points of a line; of more values, medians of neighbours are drawn.
_MOST = 160


@dataclass(frozen=True)
class DashboardLine:
    """A line in a box of `width` x `height`: its points, and the places of the changes."""

    width: int
    height: int
    points: str
    steps: tuple[float, ...]


def line_of(series: MetricSeries, width: int, height: int) -> DashboardLine:
    """The line of a series; its least value lies at the bottom."""
    values = [point.value for point in series.points]
    count = min(len(values), _MOST)
    cuts = [round(place * len(values) / count) for place in range(count + 1)]
    drawn = [statistics.median(values[a:b]) for a, b in pairwise(cuts)]
    low, high = min(drawn), max(drawn)
    inside, scale = height - 4, (high - low) or 1.0
    places = [place / max(count - 1, 1) * (width - 4) + 2 for place in range(count)]
    heights = [2 + inside * (1 - (value - low) / scale) for value in drawn]
    if low == high:
        heights = [height / 2] * count
    if count == 1:
        places, heights = [2.0, width - 2.0], heights * 2
    place_of = {point.run: place for place, point in enumerate(series.points)}
    most = max(len(values) - 1, 1)
    return DashboardLine(
        width,
        height,
        " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(places, heights, strict=True)),
        tuple((place_of[s.first.run] - 0.5) / most * (width - 4) + 2 for s in series.steps),
    )
