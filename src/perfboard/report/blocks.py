# SPDX-License-Identifier: Apache-2.0
"""Prints blocks, on the terminal and on the page."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from perfboard.model.blocks import Block, ChartBlock, SentenceBlock, TableBlock
from perfboard.report.charts.picture import Picture, picture
from perfboard.report.charts.plot import Graph, Line
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table


def block_parts(blocks: Iterable[Block]) -> "Iterator[str | Table]":
    """Lines and tables for the terminal, which draws no chart and shows no film."""
    for block in blocks:
        if isinstance(block, SentenceBlock) and not block.detail:
            yield from ("", block.text)
        if isinstance(block, TableBlock) and not block.detail:
            table = new_table(*block.columns, words=block.words)
            for row in block.rows:
                table.add_row(*cells(*row))
            yield from ("", f"{block.title}:", table)
            if block.caption:
                yield block.caption


def drawn_blocks(blocks: Iterable[Block]) -> list[tuple[Block, Picture | None]]:
    """The blocks of a page, each chart with its picture; one without a point has none."""
    return [(block, _drawn(block) if isinstance(block, ChartBlock) else None) for block in blocks]


def _drawn(chart: ChartBlock) -> Picture | None:
    lines = []
    for line in chart.lines:
        # A plane by ratios holds nothing at or below 0.
        points = tuple(sorted(point for point in line.points if min(point) > 0))
        if points:
            lines.append(Line(line.label, points, line.look))
    fields = chart.model_dump(exclude={"kind", "lines"})
    return picture(Graph(**fields, lines=tuple(lines))) if lines else None
