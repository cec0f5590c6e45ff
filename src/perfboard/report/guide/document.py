# SPDX-License-Identifier: Apache-2.0
"""A guide as a document in Markdown, reStructuredText and CSV: one row is one line."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence

from perfboard.analysis.compare.guides import guide_of
from perfboard.model.errors import UsageError
from perfboard.model.results.guide import GuideResult
from perfboard.model.run import Run
from perfboard.report.guide.rows import COLUMNS, GuideRow, guide_rows, row_cells
from perfboard.report.guide.title import (
    area_counts,
    left_out_cells,
    summary_words,
    title_pairs,
)
from perfboard.report.terminal import clean

_HEADS = ("", "")
_LEFT_OUT = ("area", "row", "writes at most", "takes")
_CSV = (
    "area",
    "measure",
    "metric",
    "labels",
    "unit",
    "better",
    "median",
    "low",
    "high",
    "least",
    "greatest",
    "samples",
    "published",
    "conditions",
    "limited_by",
    "why_not",
)
Cells = Sequence[str]
# Prints a heading of a level from 1, and a table.
Heading = Callable[[str, int], str]
TableOf = Callable[[Cells, Sequence[Cells]], Iterator[str]]


def markdown(run: Run) -> str:
    """The guide in Markdown, with tables as GitHub and GitLab read them."""
    return _document(run, lambda words, level: f"{'#' * level} {_plain(words)}", _markdown_table)


def restructured(run: Run) -> str:
    """The guide in reStructuredText, with tables that Sphinx and docutils read."""
    return _document(run, _underlined, _list_table)


def comma_separated(run: Run) -> str:
    """The guide as CSV: values in base units, without the title page."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_CSV)
    table.writerows(_values(row) for row in guide_rows(run, _guide(run)))
    return text.getvalue()


def _document(run: Run, heading: Heading, table: TableOf) -> str:
    result = _guide(run)
    rows = guide_rows(run, result)
    counts = area_counts(rows)
    lines = [heading(f"Performance guide of {run.board.title}", 1), ""]
    lines += [*table(_HEADS, title_pairs(run, result)), ""]
    lines += [heading("Summary", 2), "", f"{summary_words(rows)}.", ""]
    chief = [row for row in rows if row.chief and row.metric]
    first = [next((row for row in chief if row.area == area), None) for area in counts]
    summary = [
        (area, str(n), str(lacking or ""), *((row.name, row.median) if row else _HEADS))
        for (area, (n, lacking)), row in zip(counts.items(), first, strict=True)
    ]
    lines += table(("area", "figures", "without any", "first of them", "median"), summary)
    for area in counts:
        own = [row_cells(row)[1:] for row in rows if row.area == area]
        # A column that nothing of the area has is left out.
        kept = [at for at in range(len(COLUMNS) - 1) if at < 2 or any(row[at] for row in own)]
        columns = [COLUMNS[1:][at] for at in kept]
        lines += ["", heading(area, 2), ""]
        lines += table(columns, [[row[at] for at in kept] for row in own])
    if result.left_out:
        lines += ["", heading("Left out", 2), ""]
        lines += table(_LEFT_OUT, [left_out_cells(row) for row in result.left_out])
    sources = dict.fromkeys(clean(row.source).rstrip(".") for row in rows if row.source)
    if sources or run.provenance.notes:
        lines += ["", heading("Notes", 2), ""]
        notes = [*(f"Published by {source}." for source in sources), *run.provenance.notes]
        lines += table(("note",), [(note,) for note in notes])
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _guide(run: Run) -> GuideResult:
    if (found := guide_of(run)) is None:
        raise UsageError(f"run {run.id} has no guide; `perfboard measure guide` makes one")
    return found


def _markdown_table(headings: Cells, rows: Sequence[Cells]) -> Iterator[str]:
    yield f"| {' | '.join(map(_plain, headings))} |"
    yield "|" + "---|" * len(headings)
    for row in rows:
        yield f"| {' | '.join(map(_plain, row))} |"


def _plain(words: str) -> str:
    """Words that Markdown shows as they are: a run's text is a stranger's."""
    return re.sub(r"([\\`*_{}\[\]<>#!|~@&])", r"\\\1", clean(words))


def _underlined(words: str, level: int) -> str:
    text = _literal(words)
    return f"{text}\n{'=-'[level - 1] * max(4, len(text))}"


def _list_table(headings: Cells, rows: Sequence[Cells]) -> Iterator[str]:
    """A csv-table, whose rows are lines; quotes in it are doubled."""
    yield ".. csv-table::"
    if any(headings):
        yield f"   :header: {_csv_line(headings)}"
    yield ""
    for row in rows:
        yield f"   {_csv_line(row)}"


def _csv_line(row: Cells) -> str:
    return ",".join('"' + _literal(cell).replace('"', '""') + '"' for cell in row)


def _literal(words: str) -> str:
    """Words that reStructuredText shows as they are: no mark in them, no list, no literal block."""
    text = re.sub(r"([\\`*_|])", r"\\\1", clean(words))
    return re.sub(r"^(?=[^\w\\]|\w+[.)](\s|$))|(?=:$)", r"\\", text)


def _values(row: GuideRow) -> tuple[object, ...]:
    metric, line = row.metric, row.line
    head = (row.area, row.measure)
    tail = tuple(map(clean, (row.conditions, row.limit, row.reason)))
    if metric is None:
        return (*head, *[""] * 11, *tail)
    labels = " ".join(f"{key}={clean(value)}" for key, value in sorted(metric.labels.items()))
    about = (metric.name, labels, metric.unit, metric.better)
    published = "" if row.published is None else _number(row.published)
    if line is None:
        low, high = metric.between or (0.0, None)
        ends = (_number(low), "" if high is None else _number(high))
        return (*head, *about, "", *ends, *ends, 0, published, *tail)
    interval = line.interval
    figures = (
        _number(line.estimate.median),
        *((_number(interval.low), _number(interval.high)) if interval else _HEADS),
        _number(min(metric.samples)),
        _number(max(metric.samples)),
        len(metric.samples),
    )
    return (*head, *about, *figures, published, *tail)


def _number(value: float) -> str:
    return f"{value:.12g}"
