# SPDX-License-Identifier: Apache-2.0
"""The section of a joined timeline: which clock relates to which, and each mark's error."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from perfboard.model.results.timeline import Clock, TimelineResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.section import Section
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table

_PLUS_MINUS = "\N{PLUS-MINUS SIGN}"


def seconds(ns: float) -> str:
    """Nanoseconds in words."""
    return format_value(ns / 1e9, "s")


def relation(result: TimelineResult, clock: Clock) -> tuple[str, str]:
    """How a clock relates to the reference: where they were joined, and its drift."""
    if clock.fit is None:
        return "stands apart", ""
    if clock.name == result.reference:
        return "the reference", ""
    fit = clock.fit
    # As many digits as the error's second one has.
    digits = max(0, 1 - math.floor(math.log10(max(fit.drift_error_ppm, 1e-9))))
    drift = f"{fit.drift_ppm:+.{digits}f} {_PLUS_MINUS} {fit.drift_error_ppm:.{digits}f} ppm"
    return f"{_PLUS_MINUS} {seconds(fit.error_ns)}", drift


def links(result: TimelineResult) -> list[tuple[str, str, str]]:
    """The graph of the clocks: each two that saw marks in common, and which."""
    found = []
    for first, second in combinations(result.clocks, 2):
        names = {mark.name for mark in second.marks}
        both = [mark.name for mark in first.marks if mark.name in names]
        if both:
            found.append((first.name, second.name, ", ".join(both)))
    return found


def mark_rows(result: TimelineResult) -> list[tuple[str, str, str, str]]:
    """Each mark: its time, its error, and who saw it."""
    zero = next((m for m in result.marks if m.name == "reset"), result.marks[0])
    return [
        (
            mark.name,
            f"{(mark.t_ns - zero.t_ns) / 1e6:,.3f}",
            f"{_PLUS_MINUS} {seconds(mark.error_ns)}",
            ", ".join(mark.clocks),
        )
        for mark in result.marks
    ]


def _text(run: Run, result: TimelineResult) -> "Sequence[str | Table]":
    table = new_table("", "offset", "drift")
    table.columns[0].header = "clock"
    for clock in result.clocks:
        table.add_row(*cells(clock.name, *relation(result, clock)))
    marks = new_table("", "ms", "error, 95%", "")
    marks.columns[0].header, marks.columns[3].header = "mark", "seen by"
    for row in mark_rows(result):
        marks.add_row(*cells(*row))
    return ["", table, "", marks]


def _lead(run: Run, result: TimelineResult) -> str:
    apart = [clock.name for clock in result.clocks if clock.fit is None]
    words = f"{result.summary} were joined to that of {result.reference}"
    if len(result.clocks) == 1:
        words = f"One clock, that of {result.reference}"
    errors = sorted(mark.error_ns for mark in result.marks)
    words += f"; half of the marks are right within {seconds(errors[(len(errors) - 1) // 2])}"
    words += f", all within {seconds(errors[-1])}"
    return f"{words}; {', '.join(apart)} stands apart." if apart else f"{words}."


def _page(run: Run, result: TimelineResult) -> tuple[str, Mapping[str, Any]]:
    return f"{__package__}/timeline.html.j2", {
        "timeline": result,
        "clocks": [(clock, *relation(result, clock)) for clock in result.clocks],
        "links": links(result),
        "rows": mark_rows(result),
    }


SECTION = Section(result=TimelineResult, order=12, text=_text, page=_page, lead=_lead)
