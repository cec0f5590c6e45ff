# SPDX-License-Identifier: Apache-2.0
"""The text of `perfboard boards verify`: the answer, all ratios, and each published figure."""

from typing import TYPE_CHECKING

from perfboard.analysis.verify.coverage import by_class
from perfboard.analysis.verify.rows import Verification
from perfboard.report.charts.ratios import KEY, text_ratios
from perfboard.report.terminal import cells, new_table, render
from perfboard.report.verification.words import (
    COVERAGE_COLUMNS,
    COVERAGE_NOTE,
    PARAMETER_COLUMNS,
    answer,
    coverage_rows,
    interruption,
    lanes,
    name_of,
    notes,
    parameter_rows,
    parameter_words,
    ratio_of,
    sources,
    use_of,
    virtual_of,
)
from perfboard.report.words.figures import quantity
from perfboard.report.words.margins import WORK_WORDS

if TYPE_CHECKING:
    from rich.table import Table


def verification_text(found: Verification) -> str:
    """The answer by the held-out rows first, and the sources by number last."""
    parts: list[str | Table] = [answer(found)]
    parts += [words for words in (interruption(found),) if words]
    parts += [f"{found.board}, timed as {found.part}", ""]
    if drawn := lanes(found):
        parts += ["All ratios, virtual over published:", *text_ratios(drawn), KEY, ""]
    if rows := coverage_rows(found):
        parts += [_table(COVERAGE_COLUMNS, rows), COVERAGE_NOTE, ""]
    if found.parameters:
        parts += [_table(PARAMETER_COLUMNS, parameter_rows(found)), ""]
        parts += [parameter_words(found), ""]
    if found.rows:
        parts += [_rows(found), ""]
    parts += notes(found)
    parts += ["", *(f"[{number}] {source}" for number, source in enumerate(sources(found), 1))]
    parts += ["", f"The runs are {', '.join(found.runs)}."]
    return render(parts)


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> "Table":
    table = new_table(*columns, words=(0,))
    for row in rows:
        table.add_row(*cells(*row))
    return table


def _rows(found: Verification) -> "Table":
    """All rows, by class of work, whose name is a line of its own."""
    numbers = {source: number for number, source in enumerate(sources(found), 1)}
    table = new_table("metric", "published", "virtual", "ratio", "the model", "source")
    for work, rows in by_class(found.rows).items():
        table.add_row(*cells(WORK_WORDS[work].upper(), *[""] * 5))
        for row in rows:
            table.add_row(
                *cells(
                    name_of(row),
                    quantity(row.published.value, row.published.unit),
                    virtual_of(row),
                    ratio_of(row),
                    use_of(row),
                    f"[{numbers[row.published.source]}]",
                )
            )
    return table
