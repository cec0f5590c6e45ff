# SPDX-License-Identifier: Apache-2.0
"""Two guides compared, area by area: what is worse, better, gone and new."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perfboard.analysis.compare.changes import RunChange, percent
from perfboard.analysis.compare.guides import AreaChange
from perfboard.report.terminal import cells, new_table
from perfboard.report.words.figures import figure_name, quantity

if TYPE_CHECKING:
    from rich.table import Table

# Its title, its headings and its rows.
AreaTable = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
_COUNTS = ("area", "worse", "better", "same", "noise unknown", "gone", "new")
_ROWS = ("row", "before", "after", "in %", "")
# Rows of an area that the terminal prints, and names of those that one guide alone has.
_MOST, _NAMES = 12, 6


def area_parts(areas: Sequence[AreaChange]) -> "Iterator[str | Table]":
    """The counts of all areas, then the rows of each that changed, the largest change first."""
    counts = new_table(*_COUNTS, words={0})
    for area in areas:
        counts.add_row(*cells(*_count_cells(area)))
    yield counts
    for area in areas:
        shown = _shown(area)
        if shown:
            table = new_table(*_ROWS, words={0, 4})
            for row in shown[:_MOST]:
                table.add_row(*cells(*row))
            yield from ("", f"{area.title}:", table)
        if len(shown) > _MOST:
            yield f"and {len(shown) - _MOST:,} smaller changes"
        for what, names in (("Gone", area.gone), ("New", area.new)):
            if names:
                more = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
                yield from ("", f"{what} in {area.title}: {', '.join(names[:_NAMES])}{more}.")


def area_tables(areas: Sequence[AreaChange]) -> list[AreaTable]:
    """The tables of the page."""
    if not areas:
        return []
    found: list[AreaTable] = [("By area", _COUNTS, [_count_cells(area) for area in areas])]
    found += [(area.title, _ROWS, _shown(area)) for area in areas if _shown(area)]
    return found


def _count_cells(area: AreaChange) -> tuple[str, ...]:
    lists = (area.few, area.gone, area.new)
    counts = (len(area.worse), len(area.better), area.same, *map(len, lists))
    return (area.title, *(str(count or "") for count in counts))


def _shown(area: AreaChange) -> list[tuple[str, ...]]:
    rows = [(each, "worse") for each in area.worse] + [(each, "better") for each in area.better]
    return [_cells(*row) for row in sorted(rows, key=lambda row: -abs((row[0].ratio or 2) - 1))]


def _cells(change: RunChange, way: str) -> tuple[str, ...]:
    before, after = (quantity(side.mean, change.unit) for side in (change.before, change.after))
    return figure_name(change), before, after, percent(change.ratio), way
