# SPDX-License-Identifier: Apache-2.0
"""The rows of measures: each figure with a bar, what limits it, and a sentence a row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfboard.model.published import WITHIN
from perfboard.model.results.measures import Figure, Measurement
from perfboard.model.units import format_value
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table

# The question of a bring-up is of the first two; the others of these answer where none asked it.
_ASKED = ("disk", "network")
_KNOWN = (*_ASKED, "memory", "boot")
_BAR = 12


@dataclass(frozen=True)
class ShownFigure:
    """A figure with its words; `share` is its part of the largest of its measure and unit."""

    figure: Figure
    value: str
    published: str
    share: float


def shown(row: Measurement) -> list[ShownFigure]:
    """The row's figures."""
    most: dict[str, float] = {}
    for figure in row.figures:
        most[figure.unit] = max(most.get(figure.unit, 0.0), figure.value, figure.published or 0.0)
    return [
        ShownFigure(
            figure,
            format_value(figure.value, figure.unit),
            _published(figure),
            max(0.0, figure.value / most[figure.unit]) if most[figure.unit] else 0.0,
        )
        for figure in row.figures
    ]


def _published(figure: Figure) -> str:
    """The published figure, and how many times that was measured."""
    if not figure.published:
        return ""
    published = format_value(figure.published, figure.unit)
    return f"{figure.value / figure.published:.2f} of {published}"


def sentences(row: Measurement) -> list[str]:
    """The sentence of the row, and one for each cause why figures are far from published ones."""
    apart: dict[str, list[str]] = {}
    for figure in row.figures:
        if figure.published and abs(figure.value / figure.published - 1) > WITHIN:
            words = f"{figure.title}, {_published(figure)}"
            apart.setdefault(figure.differs or "why is not known", []).append(words)
    return [_sentence(row), *(f"{'; '.join(them)}: {cause}." for cause, them in apart.items())]


def _sentence(row: Measurement) -> str:
    if row.reason:
        return f"{'Failed' if row.failed else 'Not measured'}: {row.reason.rstrip('.')}."
    limit = f" Limited by {row.limit}." if row.limit else ""
    words = ": ".join(filter(None, (row.title, row.short)))
    return f"{words}.{limit}{' ' + row.why if row.why else ''}"


def _subject(row: Measurement) -> str:
    """The part of the board that it is of."""
    return row.measure.partition(".")[0]


def is_bringup(rows: Sequence[Measurement]) -> bool:
    """Whether all are of the subjects of a bring-up."""
    return all(_subject(row) in _KNOWN for row in rows)


def answers(rows: Sequence[Measurement]) -> str:
    """An answer a subject, in a few words."""
    by_subject: dict[str, list[Measurement]] = {each: [] for each in _KNOWN}
    for row in rows:
        by_subject.setdefault(_subject(row), []).append(row)
    asked = any(by_subject[each] for each in _ASKED)
    left_out = _KNOWN[len(_ASKED) :] if asked else ()
    return "; ".join(
        _answer(each, own) for each, own in by_subject.items() if own and each not in left_out
    )


def _answer(subject: str, rows: list[Measurement]) -> str:
    measured = [row for row in rows if not row.reason]
    if not measured:
        return f"{subject}: not measured ({rows[0].reason.rstrip('.')})"
    first = measured[0]
    limit = f", held back by {first.limit}" if first.limit else ""
    return f"{subject}: {first.short or first.title}{limit}"


def row_parts(row: Measurement, has_published: bool) -> "Iterator[str | Table]":
    """The row on the terminal; `has_published`: a figure of the run has a published one."""
    own, *apart = sentences(row)
    levels = "".join(f", {factor}={level}" for factor, level in row.levels.items())
    yield from ("", f"{row.measure}{levels}: {own}")
    if not row.figures:
        return
    headings = ("", "measured", "of the largest", "busy")
    table = new_table(*headings, *(("published",) if has_published else ()))
    for each in shown(row):
        busy = "" if each.figure.busy is None else f"{each.figure.busy:.0%}"
        words = (each.figure.title, each.value, _bar(each.share), busy)
        table.add_row(*cells(*words, *((each.published,) if has_published else ())))
    yield table
    yield from apart


def _bar(share: float) -> str:
    filled = round(share * _BAR)
    return "█" * filled + "·" * (_BAR - filled)
