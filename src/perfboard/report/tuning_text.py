# SPDX-License-Identifier: Apache-2.0
"""What a tune found, for a terminal."""

from typing import TYPE_CHECKING

from perfboard.model.run import Run
from perfboard.report.terminal import cells, new_table
from perfboard.report.tuning_published import published_rows
from perfboard.report.tuning_rows import (
    advice_rows,
    constraints,
    head_sentence,
    limit_sentence,
    search_sentence,
    single_rows,
)

if TYPE_CHECKING:
    from rich.table import Table


def tuning_parts(run: Run) -> "list[str | Table]":
    """The advice with its lines, each level by itself, and what else there is to know."""
    tuning = run.tuning
    if tuning is None:
        return []
    parts: list[str | Table] = ["", head_sentence(run), search_sentence(run)]
    if words := constraints(tuning):
        parts.append(f"Under the limits: {words}.")
    if words := limit_sentence(run):
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
            parts += [f"  {words}" for words in (row.phases,) if words]
            parts += [f"  loses {row.loses}" for _ in (0,) if row.loses]
            for lines in row.lines:
                parts.append(f"  {lines.where}{f', for {lines.words}' if lines.words else ''}:")
                parts += [f"    - {line}" for line in lines.remove]
                parts += [f"    + {line}" for line in lines.add]
    parts += ["", _singles(run)]
    for single in single_rows(run):
        if single.note:
            note = single.note.partition("\n")[0]
            parts.append(f"{single.factor}={single.level}: {note}")
    published = list(published_rows(run))
    if published:
        table = new_table("metric", "published", "here", "ratio")
        table.columns[0].header = "published of the real board"
        for one in published:
            here = one.measured.rpartition("(")[2].rstrip(")")
            then = one.published.rpartition("(")[2].rstrip(")")
            table.add_row(*cells(one.title, then, here, one.ratio))
        parts += ["", table]
        for one in published:
            notes = [part for part in (one.scaled, one.note) if part]
            parts += [f"{one.title}: {'; '.join(notes)}"] if notes else []
    return parts


def _singles(run: Run) -> "Table":
    table = new_table("metric", "time", "saves", "flash", "RAM")
    table.columns[0].header = "each level alone"
    for row in single_rows(run):
        table.add_row(
            *cells(f"{row.factor}={row.level}", row.time or "none", row.saving, row.flash, row.ram)
        )
    return table
