# SPDX-License-Identifier: Apache-2.0
"""The answer of a bring-up: each figure with a bar, what limits it, and a sentence a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfboard.model.published import WITHIN
from perfboard.model.results.bringup import BringupFigure, BringupResult, BringupRow
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.section import Section
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table

# The question is of these.
_ASKED = ("disk", "network")
_BAR = 12


@dataclass(frozen=True)
class _Shown:
    """A figure with its words; `share` is its part of the largest of its row and unit."""

    figure: BringupFigure
    value: str
    published: str
    share: float


def _shown(row: BringupRow) -> list[_Shown]:
    most: dict[str, float] = {}
    for figure in row.figures:
        most[figure.unit] = max(most.get(figure.unit, 0.0), figure.value, figure.published or 0.0)
    return [
        _Shown(
            figure,
            format_value(figure.value, figure.unit),
            _published(figure),
            figure.value / most[figure.unit] if most[figure.unit] else 0.0,
        )
        for figure in row.figures
    ]


def _published(figure: BringupFigure) -> str:
    """The published figure, and how many times that was measured."""
    if not figure.published:
        return ""
    published = format_value(figure.published, figure.unit)
    return f"{figure.value / figure.published:.2f} of {published}"


def _apart(row: BringupRow) -> list[str]:
    """Sentences on the figures that are far from the published ones, one for each cause."""
    found: dict[str, list[str]] = {}
    for figure in row.figures:
        if figure.published and abs(figure.value / figure.published - 1) > WITHIN:
            words = f"{figure.title}, {_published(figure)}"
            found.setdefault(figure.differs or "why is not known", []).append(words)
    return [f"{'; '.join(figures)}: {cause}." for cause, figures in found.items()]


def _sentence(row: BringupRow) -> str:
    if row.reason:
        return f"Not measured: {row.reason.rstrip('.')}."
    limit = f" Limited by {row.limit}." if row.limit else ""
    return f"{row.title}: {row.short}.{limit}{' ' + row.sentence if row.sentence else ''}"


def _answer(subject: str, rows: list[BringupRow]) -> str:
    """The answer of a subject's rows, in a few words; "" if none was asked for."""
    if not rows:
        return ""
    measured = [row for row in rows if not row.reason]
    if not measured:
        return f"{subject}: not measured ({rows[0].reason.rstrip('.')})"
    first = measured[0]
    limit = f", held back by {first.limit}" if first.limit else ""
    return f"{subject}: {first.short}{limit}"


def _lead(run: Run, result: BringupResult) -> str:
    by_subject = {
        subject: [row for row in result.rows if row.subject == subject]
        for subject in (*_ASKED, "memory", "boot")
    }
    asked = any(by_subject[subject] for subject in _ASKED)
    parts = [
        words
        for subject, rows in by_subject.items()
        if (not asked or subject in _ASKED) and (words := _answer(subject, rows))
    ]
    return f"{run.board.name}: {'; '.join(parts)}." if parts else f"{run.board.name}: no row."


def _bar(share: float) -> str:
    filled = round(share * _BAR)
    return "█" * filled + "·" * (_BAR - filled)


def _text(run: Run, result: BringupResult) -> "list[str | Table]":
    parts: list[str | Table] = []
    has_published = any(f.published is not None for row in result.rows for f in row.figures)
    for row in result.rows:
        parts += ["", f"{row.name}: {_sentence(row)}"]
        if not row.figures:
            continue
        headings = ("", "measured", "of the largest", "busy")
        table = new_table(*headings, *(("published",) if has_published else ()))
        for shown in _shown(row):
            busy = "" if shown.figure.busy is None else f"{shown.figure.busy:.0%}"
            words = (shown.figure.title, shown.value, _bar(shown.share), busy)
            table.add_row(*cells(*words, *((shown.published,) if has_published else ())))
        parts += [table, *_apart(row)]
    return parts


def _page(run: Run, result: BringupResult) -> tuple[str, Mapping[str, Any]]:
    rows = [(row, _shown(row), [_sentence(row), *_apart(row)]) for row in result.rows]
    sources = dict.fromkeys(f.source for row in result.rows for f in row.figures if f.source)
    context = {"rows": rows, "answers": _lead(run, result), "sources": list(sources)}
    return f"{__package__}/bringup.html.j2", context


SECTION = Section(result=BringupResult, order=4, text=_text, page=_page, lead=_lead)
