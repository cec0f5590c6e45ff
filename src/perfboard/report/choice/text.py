# SPDX-License-Identifier: Apache-2.0
"""The text of `perfboard choose`: the answer, the boards, and their figures."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from perfboard.analysis.choice.answer import Choice
from perfboard.model.results.profile import ProfileRow
from perfboard.report.choice.words import (
    BOARD_COLUMNS,
    FIGURES_NOTE,
    answer,
    chance_of,
    figure_cell,
    figure_heading,
    options,
    price_words,
    problems,
    rows_of,
    wanted,
    why,
)
from perfboard.report.terminal import WIDTH, cells, new_table, render

if TYPE_CHECKING:
    from rich.table import Table

# Between two columns of a table.
_GAP = 3


def choice_text(choice: Choice) -> str:
    """The answer first, in 80 columns."""
    parts: list[str | Table] = [answer(choice), ""]
    table = new_table(*BOARD_COLUMNS, words=(0, 3))
    for each in choice.all:
        table.add_row(*cells(each.board, price_words(each), chance_of(each), why(each, choice)))
    parts += [table, ""]
    if lines := options(choice):
        parts += [*lines, ""]
    rows = rows_of(choice)
    for part in _fitting(choice, rows):
        figures = new_table("board", *map(figure_heading, part), words=(0,))
        for each in choice.all:
            if each.result:
                own = (figure_cell(each, row.name) for row in part)
                figures.add_row(*cells(each.board, *own))
        parts += [figures, ""]
    if rows:
        parts.append(FIGURES_NOTE)
    parts += [*wanted(choice), *problems(choice)]
    return render(parts)


def _fitting(choice: Choice, rows: Sequence[ProfileRow]) -> Iterator[list[ProfileRow]]:
    """The rows in parts, each of which has room as the columns of a table."""
    first = max((len(each.board) for each in choice.all), default=0) + _GAP
    part: list[ProfileRow] = []
    used = first
    for row in rows:
        cell_widths = (len(figure_cell(each, row.name)) for each in choice.all)
        heading = max(map(len, figure_heading(row).split(", ")))
        width = max(heading, *cell_widths) + _GAP
        if part and used + width > WIDTH:
            yield part
            part, used = [], first
        part.append(row)
        used += width
    if part:
        yield part
