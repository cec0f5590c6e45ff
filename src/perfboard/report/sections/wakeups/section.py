# SPDX-License-Identifier: Apache-2.0
"""The savings and risks of waking less often, and the level to use."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from perfboard.analysis.wakeups.advice import by_mode, needed_of
from perfboard.model.results.wakeups import WakeupsResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.charts.picture import Picture, picture
from perfboard.report.charts.plot import Band, Graph, Line
from perfboard.report.section import Section
from perfboard.report.sections.wakeups.rows import (
    LOADS,
    WAYS,
    Row,
    power_source,
    published_rows,
    rows,
    saving,
    switches_per_s,
)
from perfboard.report.sections.wakeups.trade import trades
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table


def _lead(run: Run, result: WakeupsResult) -> str:
    board = run.board.name
    if not result.advised:
        return f"Which level {board} may use is not known: {result.because}."
    way = WAYS.get(result.advised_way, result.advised_way)
    return f"Use level {result.advised} on {board} ({way}){saving(result)}: {result.because}."


def _text(run: Run, result: WakeupsResult) -> "list[str | Table]":
    parts: list[str | Table] = []
    found = rows(result)
    way, levels = trades(result, found)
    trade = new_table("", "level", "margin", "switches", "missed deadlines")
    for each in levels:
        use = "use" if each.advised else ""
        missed = ", ".join(f"{count} {load}" for count, load in each.missed) or "none"
        trade.add_row(*cells(use, each.level, each.margin, each.saves, missed))
    parts += ["", f"What a level saves and risks ({WAYS.get(way, way)})", trade]
    for load in dict.fromkeys(row.load for row in found):
        table = new_table("", "level", "switches/s", "change", "idle", "p99", "longest", "missed")
        refused = []
        for row in found:
            if row.load == load and not row.refused:
                table.add_row(
                    *cells(row.way, row.level if row.missed else "", row.switches, row.fewer),
                    *cells(row.idle, row.p99, row.longest, row.missed),
                )
            elif row.load == load:
                refused.append(row)
        parts += ["", LOADS.get(load, load), table]
        parts += _refusals(refused)
        parts += [f"  copies a second, {words}" for words in _copies(found, load)]
    parts += _powers(found, result)
    parts += ["", "Study F's comparison:"]
    parts += [
        f"  {name}: {there} published, {here} here" for name, there, here in published_rows(result)
    ]
    parts += ["", _margins(result)]
    return parts


def _powers(found: list[Row], result: WakeupsResult) -> "list[str | Table]":
    if not (source := power_source(result)):
        return []
    table = new_table("", "level", "load", "power", "change")
    for row in found:
        if row.power:
            at = row.level if row.missed else ""
            table.add_row(*cells(row.way, at, row.load, row.power, row.saved))
    return ["", source, *([table] if table.row_count else [])]


def _copies(found: list[Row], load: str) -> list[str]:
    return [
        f"{row.way}{' ' + row.level if row.missed else ''}: {row.copies}"
        for row in found
        if row.load == load and row.copies
    ]


def _refusals(refused: list[Row]) -> list[str]:
    """One line for each way: its levels have the same reason."""
    reasons = {row.way: row.refused for row in refused}
    return [f"  {way}: not measurable here ({reason})" for way, reason in reasons.items()]


def _margins(result: WakeupsResult) -> str:
    levels = sorted({int(each.level) for each in result.playbacks if each.level.isdigit()})
    margins = ", ".join(
        f"{format_value(result.margin_s(level), 's')} at level {level}" for level in levels
    )
    head = f"Margins: {margins}. " if margins else ""
    return (
        f"{head}{result.periods:,} buffers of {result.buffer_bytes} bytes were "
        "played each time. Change: context switches beside level 0 of the same way."
    )


def _graph(result: WakeupsResult) -> Picture | None:
    """Switches over the margin: a line for each way and load, a point for each level."""
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    needed = 0
    for (load, way, level), played in by_mode(result.playbacks).items():
        known = [each for each in played if not each.refused]
        if not known or way == "none":
            continue
        needed = max(needed, *(needed_of(each) for each in known if each.way == "sink"), 0)
        rate = switches_per_s(known)
        if level.isdigit() and rate > 0:
            margin = result.margin_s(int(level)) * 1e3
            lines.setdefault((way, load), []).append((margin, rate))
    if not lines:
        return None
    least = min(x for points in lines.values() for x, _ in points)
    most = max(x for points in lines.values() for x, _ in points)
    end = min(needed / 1e6, most)
    bands = (Band(least, end, "needed"),) if end > least else ()
    return picture(
        Graph(
            title="Context switches over the margin",
            caption="Each point is a level. To the left fewer switches, and less time to fill a "
            "buffer. Shaded: the longest need of a wake, under the worst load.",
            x="margin of a wake, ms",
            x_bytes=False,
            y="context switches a second",
            unit="1/s",
            lines=tuple(
                Line(
                    f"{WAYS.get(way, way)}, {LOADS.get(load, load).lower()}",
                    tuple(sorted(points)),
                    look,
                )
                for look, ((way, load), points) in enumerate(lines.items())
            ),
            bands=bands,
        )
    )


def _page(run: Run, result: WakeupsResult) -> tuple[str, Mapping[str, Any]]:
    found = rows(result)
    way, levels = trades(result, found)
    return f"{__package__}/wakeups.html.j2", {
        "wakeups": result,
        "trade_way": way,
        "trades": levels,
        "load_words": LOADS,
        "picture": _graph(result),
        "loads": {
            LOADS.get(load, load): [row for row in found if row.load == load]
            for load in dict.fromkeys(row.load for row in found)
        },
        "ways": WAYS,
        "published": published_rows(result),
        "margins": _margins(result),
        "power_source": power_source(result),
    }


SECTION = Section(result=WakeupsResult, order=7, text=_text, page=_page, lead=_lead)
