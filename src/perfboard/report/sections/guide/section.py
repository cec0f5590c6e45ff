# SPDX-License-Identifier: Apache-2.0
"""The section of a guide: one screen first, then its rows area by area."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perfboard.model.blocks import Block, SentenceBlock, TableBlock
from perfboard.model.results.guide import GuideResult
from perfboard.model.run import Run
from perfboard.report.guide.rows import COLUMNS, GuideRow, guide_rows, row_cells
from perfboard.report.guide.title import (
    area_counts,
    left_out_cells,
    summary_words,
    title_pairs,
)
from perfboard.report.section import Section
from perfboard.report.terminal import cells, new_table
from perfboard.report.words.evidence import evidence_label

if TYPE_CHECKING:
    from rich.table import Table

# Figures of an area on the first screen, and of a measure below it.
_ON_SCREEN, _MOST = 2, 6
_ALL = "All figures, a line each: `perfboard export {} --format guide-csv` (or -markdown, -rst)."


def _lead(run: Run, result: GuideResult) -> str:
    return f"{run.board.name}: {summary_words(guide_rows(run, result))} ({evidence_label(run)})."


def _text(run: Run, result: GuideResult) -> "Iterator[str | Table]":
    rows = guide_rows(run, result)
    yield from ("", _screen(run, rows))
    for area in area_counts(rows):
        own = [row for row in rows if row.area == area]
        yield from ("", f"{area}:")
        if any(row.metric for row in own):
            yield _table(own)
        for measure, limit in {row.measure: row.limit for row in own if row.limit}.items():
            yield f"{measure}: limited by {limit}."
        for row in own:
            if row.reason:
                yield f"{row.measure}: not measured: {row.reason}."
    if result.left_out:
        table = new_table("", "row", "writes at most", "takes", words={0, 1})
        for left in result.left_out:
            table.add_row(*cells(*left_out_cells(left)))
        yield from ("", "Left out; `--all` measures these too:", table)
    yield from ("", _ALL.format(run.id))


def _screen(run: Run, rows: Sequence[GuideRow]) -> "Table":
    """The counts of each area, and its first figures."""
    table = new_table("area", "figures", "lacking", "first of them", "median", words={0, 3})
    for area, (figures, lacking) in area_counts(rows).items():
        chief = [row for row in rows if row.area == area and row.chief and row.metric]
        first = [(row.name, row.median) for row in chief[:_ON_SCREEN]] or [("", "")]
        heads = [(area, str(figures), str(lacking or "")), *[("", "", "")] * (len(first) - 1)]
        for head, figure in zip(heads, first, strict=True):
            table.add_row(*cells(*head, *figure))
    return table


def _table(rows: Sequence[GuideRow]) -> "Table":
    has_published = any(row.theirs for row in rows)
    # There is no room for all of them.
    ends = ("published",) if has_published else ("least", "greatest")
    table = new_table("", "median", "interval", *ends, "n", words={0})
    shown: dict[str, int] = {}
    for row in rows:
        if not (row.chief and row.metric):
            continue
        shown[row.measure] = shown.get(row.measure, 0) + 1
        if shown[row.measure] <= _MOST:
            between = (row.theirs,) if has_published else row.extremes
            table.add_row(*cells(row.name, row.median, row.interval, *between, row.samples))
    return table


def _blocks(run: Run, result: GuideResult) -> Iterator[Block]:
    rows = guide_rows(run, result)
    title = tuple(title_pairs(run, result))
    yield TableBlock(title="The guide", columns=("", ""), rows=title, words=2)
    counts = area_counts(rows)
    yield TableBlock(
        title="The areas",
        columns=("area", "figures", "measures without any"),
        rows=tuple((area, str(n), str(lacking or "")) for area, (n, lacking) in counts.items()),
        words=1,
    )
    for area in counts:
        own = [row for row in rows if row.area == area]
        yield TableBlock(
            title=area,
            columns=COLUMNS[1:],
            rows=tuple(row_cells(row)[1:] for row in own),
            words=1,
            last_words=3,
        )
    if result.left_out:
        yield TableBlock(
            title="Left out",
            caption="They write much to the target or take long; --all measures them too.",
            columns=("area", "row", "writes at most", "takes"),
            rows=tuple(map(left_out_cells, result.left_out)),
            words=2,
        )
    sources = dict.fromkeys(row.source.rstrip(".") for row in rows if row.source)
    if sources:
        yield SentenceBlock(text=f"Published by: {'; '.join(sources)}.")


SECTION = Section(result=GuideResult, order=2, lead=_lead, blocks=_blocks, text=_text)
