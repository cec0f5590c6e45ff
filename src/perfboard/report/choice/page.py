# SPDX-License-Identifier: Apache-2.0
"""The page of `perfboard choose`: the words of the text, and the chances drawn over the prices."""

from pathlib import Path

from perfboard.analysis.choice.answer import Candidate, Choice
from perfboard.report.charts.chances import ChanceDrawing, ChancePoint, draw_chances
from perfboard.report.charts.plot import NARROW, WIDE
from perfboard.report.choice.words import (
    FIGURES_NOTE,
    answer,
    chance_of,
    figure_cell,
    options,
    price_words,
    problems,
    rows_of,
    wanted,
    why,
)
from perfboard.report.html import environment
from perfboard.report.privacy import without_paths
from perfboard.report.words.verdicts import NO_SIGN, SIGNS
from perfboard.report.writing import write_page
from perfboard.store.folder import find_run


def write_choice(choice: Choice, interrupted: bool) -> Path | None:
    """Puts the page into the folder of the first board's run; its path. None: there is no run."""
    runs = [each.run for each in choice.all if each.run]
    if not runs:
        return None
    return write_page(find_run(runs[0].id) / "choice.html", render_choice(choice, interrupted))


def render_choice(choice: Choice, interrupted: bool = False) -> str:
    """The text of the page: complete in itself, in UTF-8, the same for the same runs.

    Each board's own report lies in the folder of its run, next to that of the page.
    """
    rows = rows_of(choice)
    view = {
        "choice": choice,
        "answer": answer(choice),
        "sign": SIGNS["pass"] if choice.right else NO_SIGN,
        "interrupted": interrupted,
        "options": options(choice),
        "drawings": _drawings(choice),
        "boards": [
            {
                "name": each.board,
                "report": f"../{each.run.id}/report.html" if each.run else "",
                "price": price_words(each),
                "chance": chance_of(each),
                "why": without_paths(why(each, choice)),
                "figures": [figure_cell(each, row.name) for row in rows] if each.result else [],
            }
            for each in choice.all
        ],
        "rows": [(row.name, row.budget_text) for row in rows],
        "note": FIGURES_NOTE,
        "notes": [without_paths(line) for line in (*wanted(choice), *problems(choice))],
        "runs": [each.run.id for each in choice.all if each.run],
    }
    return environment().get_template("choice.html.j2").render(view)


def _drawings(choice: Choice) -> list[tuple[str, ChanceDrawing]]:
    currency = choice.currency
    points = [
        ChancePoint(each.board, _price(each, currency), each.probability, each in choice.right)
        for each in choice.all
        if each.probability is not None
    ]
    layouts = (("wide", WIDE), ("narrow", NARROW))
    return (
        [(name, draw_chances(points, choice.sure, currency, layout)) for name, layout in layouts]
        if points
        else []
    )


def _price(candidate: Candidate, currency: str) -> float | None:
    return candidate.price if candidate.currency == currency else None
