# SPDX-License-Identifier: Apache-2.0
"""Prints blocks, on the terminal and on the page."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from perfboard.model.blocks import (
    Bar,
    Block,
    ChartBlock,
    Excerpt,
    SentenceBlock,
    TableBlock,
)
from perfboard.report.charts.picture import PlotPicture, picture
from perfboard.report.charts.plot import Band, Graph, PlotLine
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table

# The characters of a bar.
_BAR = 16


def block_parts(blocks: Iterable[Block]) -> "Iterator[str | Table]":
    """Lines and tables for the terminal, which draws no chart and shows no film."""
    for block in blocks:
        if isinstance(block, SentenceBlock) and not block.detail:
            yield from ("", block.text)
        if isinstance(block, TableBlock) and not block.detail:
            yield from ("", *_table_parts(block))


def _table_parts(block: TableBlock) -> "Iterator[str | Table]":
    shown = block.terminal or Excerpt(title=f"{block.title}:", caption=block.caption)
    places = range(len(block.columns)) if shown.columns is None else shown.columns
    if shown.title:
        yield shown.title
    if places:
        words = {at for at, place in enumerate(places) if block.in_words(place)}
        headings = shown.headings or [block.columns[place] for place in places]
        table = new_table(*headings, words=words)
        for row in block.rows[: shown.rows]:
            chosen = row if shown.columns is None else [row[place] for place in places]
            table.add_row(*cells(*map(_words, chosen)))
        yield table
    if shown.caption:
        yield shown.caption


def _words(cell: str | Bar) -> str:
    if isinstance(cell, str):
        return cell
    filled = round(cell.share * _BAR)
    bar = "█" * filled + "·" * (_BAR - filled)
    return f"{bar[: _BAR // 2]}│{bar[_BAR // 2 :]}" if cell.halved else bar


def drawn_blocks(blocks: Iterable[Block]) -> list[tuple[Block, PlotPicture | None]]:
    """The blocks of a page, each chart with its picture; one without a point has none."""
    return [(block, _drawn(block) if isinstance(block, ChartBlock) else None) for block in blocks]


def _drawn(chart: ChartBlock) -> PlotPicture | None:
    lines = []
    for line in chart.lines:
        # A plane by ratios holds nothing at or below 0.
        points = tuple(sorted(point for point in line.points if min(point) > 0))
        if points:
            lines.append(PlotLine(line.label, points, line.look))
    fields = chart.model_dump(exclude={"kind", "lines", "bands"})
    bands = tuple(Band(b.low, b.high, b.label) for b in chart.bands if 0 < b.low < b.high)
    return picture(Graph(**fields, lines=tuple(lines), bands=bands)) if lines else None
