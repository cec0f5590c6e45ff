# SPDX-License-Identifier: Apache-2.0
"""Savings as bars, cut by phase: where each piece and label lies.

Pure geometry, in pixels from the top left corner; a template turns it into SVG.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.model.units import format_value
from perfboard.report.charts.plot import CHARACTER, PlotLayout, Text, short_value
from perfboard.report.charts.waterfall import tick_step

_NS = 10**9
_ROW = 1.9
_BAR = 1.1


@dataclass(frozen=True)
class Piece:
    """The time that a change saves in one phase; left of zero, the time it costs."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    tooltip: str


@dataclass(frozen=True)
class PhaseBars:
    """The whole chart; `zero` is where saving begins, `keys` the legend's texts by colour."""

    width: float
    height: float
    font: float
    top: float
    bottom: float
    zero: float
    ticks: tuple[Text, ...]
    labels: tuple[Text, ...]
    pieces: tuple[Piece, ...]
    keys: tuple[tuple[int, Text], ...]


def phase_bars(
    rows: Sequence[tuple[str, Mapping[str, float]]], titles: Mapping[str, str], layout: PlotLayout
) -> PhaseBars:
    """Bars of what each of `rows` saves by phase, in s; those left of zero are more time.

    `titles` names the phases that there may be, in the order of their colours. A row's name
    stands next to its bar, on a narrow layout above it. Raises ValueError without rows.
    """
    font = layout.font
    beside = layout.width > 600
    gains = [sum(s for s in phases.values() if s > 0) for _, phases in rows]
    losses = [sum(s for s in phases.values() if s < 0) for _, phases in rows]
    low, high = min(0.0, *losses), max(0.0, *gains)
    span = high - low or 1.0
    widest = max(len(name) for name, _ in rows) * font * CHARACTER + font
    left = min(widest, layout.width * 0.35) if beside else 0.0
    keys, top = _legend(titles, layout)
    top += font * 2.2

    def x(seconds: float) -> float:
        return left + (seconds - low) / span * (layout.width - left - font)

    row = font * (_ROW if beside else _ROW + 1.2)
    pieces, labels = [], []
    for place, (name, phases) in enumerate(rows):
        y = top + place * row + font * 0.3
        at = y if beside else y + font * 1.2
        text = _shortened(name, left - font if beside else layout.width, font)
        labels.append(
            Text(left - font * 0.6, at + font * 0.95, text, "end")
            if beside
            else Text(0, y + font, text, "start")
        )
        more, less = 0.0, 0.0
        for colour, phase in enumerate(titles):
            seconds = phases.get(phase, 0.0)
            if not seconds:
                continue
            start = more if seconds > 0 else less + seconds
            more, less = more + max(seconds, 0.0), less + min(seconds, 0.0)
            words = format_value(abs(seconds), "s")
            words += " less" if seconds > 0 else " more"
            tooltip = f"{name}, {titles[phase]}: {words}"
            width = x(start + abs(seconds)) - x(start)
            pieces.append(Piece(x(start), at, width, font * _BAR, colour, tooltip))
    bottom = top + len(rows) * row
    step = tick_step(round(span * _NS), 6 if beside else 3)
    first = -(-round(low * _NS) // step) * step
    return PhaseBars(
        width=layout.width,
        height=bottom + font * 1.8,
        font=font,
        top=top,
        bottom=bottom,
        zero=x(0.0),
        ticks=tuple(
            Text(x(ns / _NS), bottom + font * 1.4, _tick(ns))
            for ns in range(first, round(high * _NS) + 1, step)
        ),
        labels=tuple(labels),
        pieces=tuple(pieces),
        keys=keys,
    )


def _tick(ns: int) -> str:
    return short_value(ns / _NS, "s").replace("-", "\N{MINUS SIGN}")


def _shortened(name: str, room: float, font: float) -> str:
    kept = int(room / (font * CHARACTER))
    return name if len(name) <= kept else name[: max(0, kept - 1)] + "\N{HORIZONTAL ELLIPSIS}"


def _legend(
    titles: Mapping[str, str], layout: PlotLayout
) -> tuple[tuple[tuple[int, Text], ...], float]:
    """The phases' names in rows, and where these end."""
    font = layout.font
    keys, x, y = [], 0.0, font * 1.2
    for colour, title in enumerate(titles.values()):
        width = font * 2.4 + len(title) * font * CHARACTER
        if x and x + width > layout.width:
            x, y = 0.0, y + font * 1.5
        keys.append((colour, Text(x, y, title, "start")))
        x += width
    return tuple(keys), y
