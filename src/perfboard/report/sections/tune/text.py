# SPDX-License-Identifier: Apache-2.0
"""A tune on the terminal."""

from typing import TYPE_CHECKING

from perfboard.model.results.tune import TuneResult
from perfboard.model.run import Run
from perfboard.report.sections.tune.published import published_rows, start_sentence
from perfboard.report.sections.tune.rows import (
    advice_rows,
    constraints,
    failed_rows,
    limit_sentence,
    search_sentence,
    single_rows,
)
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table


def tuning_parts(run: Run, tuning: TuneResult) -> "list[str | Table]":
    """The advice with its lines, each level by itself, and what else there is to know."""
    parts: list[str | Table] = ["", search_sentence(tuning)]
    if words := constraints(tuning):
        parts.append(f"Under the limits: {words}.")
    if words := limit_sentence(tuning):
        parts.append(words)
    rows = advice_rows(tuning)
    if rows:
        table = new_table("metric", "alone", "saves", "flash", "RAM")
        table.columns[0].header = "what to change, in this order"
        for row in rows:
            name = f"{row.number} {row.factor}: {row.change}"
            table.add_row(*cells(name, row.alone, row.saving, row.flash, row.ram))
        parts += ["", table]
        for row in rows:
            parts += ["", f"{row.number} {row.title}: {row.change}"]
            parts += [f"  {words}" for words in (row.sure, row.phases) if words]
            parts += [f"  loses {row.loses}" for _ in (0,) if row.loses]
            for lines in row.lines:
                parts.append(f"  {lines.where}{f' ({lines.words})' if lines.words else ''}:")
                parts += [f"    - {line}" for line in lines.remove]
                parts += [f"    + {line}" for line in lines.add]
    parts += ["", _singles(tuning)]
    for single in single_rows(tuning):
        if single.note and not single.failed:
            parts.append(f"{single.factor}={single.level}: {single.note}")
    failed = failed_rows(tuning)
    if failed:
        table = new_table("metric", "", "line")
        for column, title in zip(
            table.columns, ("did not boot or build", "kind", "message"), strict=True
        ):
            column.header = title
        for one in failed:
            table.add_row(*cells(one.levels, one.kind, one.message))
        parts += ["", table]
    published = list(published_rows(tuning))
    if published:
        table = new_table("metric", "published", "here", "ratio")
        table.columns[0].header = "published of the real board"
        for change in published:
            here = change.measured.rpartition("(")[2].rstrip(")")
            then = change.published.rpartition("(")[2].rstrip(")")
            table.add_row(*cells(change.title, then, here, change.ratio))
        parts += ["", table]
        parts += [words] if (words := start_sentence(tuning)) else []
        for change in published:
            notes = [part for part in (change.scaled, change.note) if part]
            parts += [f"{change.title}: {'; '.join(notes)}"] if notes else []
    return parts


def _singles(tuning: TuneResult) -> "Table":
    table = new_table("metric", "time", "saves", "flash", "RAM")
    table.columns[0].header = "each level alone"
    for row in single_rows(tuning):
        table.add_row(
            *cells(f"{row.factor}={row.level}", row.time or "none", row.saving, row.flash, row.ram)
        )
    return table
