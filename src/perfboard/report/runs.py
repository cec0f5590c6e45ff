# SPDX-License-Identifier: Apache-2.0
"""The list of runs, for people and for programs."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfboard.model.units import format_between, format_value
from perfboard.report.terminal import clean, list_table, pair_words, render
from perfboard.store.row import RunRow

if TYPE_CHECKING:
    from rich.table import Table


def runs_text(rows: Sequence[RunRow], width: int | None = None) -> str:
    """The list of runs; below it what is wrong with those that are not whole.

    On a terminal of `width` columns, those that do not fit are left out, but not the ids. With
    None it is one line a run, for a program.
    """
    if width is None:
        lines = ("  ".join((*_row(row), row.reason)).rstrip() for row in rows)
        return "".join(clean(line) + "\n" for line in lines)
    if not rows:
        return "No runs yet.\n"
    headlines = dict.fromkeys((row.headline, row.study) for row in rows if row.headline)
    names = dict.fromkeys(name for name, _ in headlines)
    headline = names if len(names) == 1 else ["headline"]
    headings = ("run", "board", "status", "evidence", *headline, "tags")
    columns = dict(zip(headings, zip(*map(_row, rows), strict=True), strict=True))
    if not any(row.tags for row in rows):
        del columns["tags"]
    # The id of a run has its board too.
    for spare in ("board", "evidence", "tags"):
        widths = [max(map(len, (name, *column))) for name, column in columns.items()]
        if spare in columns and sum(widths) + 2 * (len(widths) - 1) > width:
            del columns[spare]
    parts: list[str | Table] = [list_table(tuple(columns), zip(*columns.values(), strict=True))]
    if len(names) > 1:
        studies = Counter(study for _, study in headlines)
        words = {
            f"{name if studies[study] == 1 else 'the first figure'} of study {study}": None
            for name, study in headlines
        }
        parts += ["", f"headline: {', '.join(words)}"]
    for row in rows:
        if row.reason:
            parts += ["", _reason(row)]
    return render(parts, width)


def unread_text(rows: Sequence[RunRow]) -> str:
    """The runs that cannot be read, or whose start is still to come, each with why; or ""."""
    return "".join(
        clean(_reason(row)) + "\n"
        for row in rows
        if row.reason and row.status not in ("running", "unfinished")
    )


def _reason(row: RunRow) -> str:
    return f"{row.id} is {row.status}: {row.reason}"


def _row(row: RunRow) -> tuple[str, ...]:
    value = "" if row.median is None else format_value(row.median, row.unit)
    if row.between is not None:
        value = format_between(*row.between, row.unit)
    return row.id, row.board, row.status, row.evidence, value, pair_words(row.tags)
