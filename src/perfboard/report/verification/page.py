# SPDX-License-Identifier: Apache-2.0
"""The page of `perfboard boards verify --report`: the words of the text, and all ratios drawn."""

from pathlib import Path

from perfboard.analysis.verify.coverage import by_class
from perfboard.analysis.verify.rows import Verification
from perfboard.report.charts.plot import NARROW, WIDE
from perfboard.report.charts.ratios import draw_ratios
from perfboard.report.html import environment
from perfboard.report.privacy import without_paths
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
from perfboard.report.writing import write_page
from perfboard.store.folder import find_run


def write_verification(found: Verification) -> Path:
    """Puts the page into the folder of the first of the runs; returns its path."""
    return write_page(find_run(found.runs[0]) / "verification.html", render_verification(found))


def render_verification(found: Verification) -> str:
    """The text of the page: complete in itself, in UTF-8, the same for the same figures."""
    numbers = {source: number for number, source in enumerate(sources(found), 1)}
    drawn, layouts = lanes(found), (("wide", WIDE), ("narrow", NARROW))
    view = {
        "found": found,
        "answer": answer(found),
        "interruption": interruption(found),
        "drawings": [(name, draw_ratios(drawn, layout)) for name, layout in layouts if drawn],
        "coverage": (COVERAGE_COLUMNS, coverage_rows(found), COVERAGE_NOTE),
        "parameters": (PARAMETER_COLUMNS, parameter_rows(found), parameter_words(found)),
        "classes": [
            (
                WORK_WORDS[work],
                [
                    {
                        "name": name_of(row),
                        "published": quantity(row.published.value, row.published.unit),
                        "virtual": virtual_of(row),
                        "ratio": ratio_of(row),
                        "use": use_of(row),
                        "differs": row.published.differs,
                        "source": numbers[row.published.source],
                    }
                    for row in rows
                ],
            )
            for work, rows in by_class(found.rows).items()
        ],
        # A problem may name a file of this machine's.
        "notes": [without_paths(note) for note in notes(found)],
        "sources": sources(found),
    }
    return environment().get_template("verification.html.j2").render(view)
