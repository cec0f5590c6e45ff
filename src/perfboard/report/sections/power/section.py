# SPDX-License-Identifier: Apache-2.0
"""The section of a boot's energy: each phase's joules and highest current."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perfboard.model.results.power import PowerResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.charts.curve import curves
from perfboard.report.section import Section
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table


def _with_error(value: float | None, error: float | None, unit: str) -> str:
    if value is None:
        return ""
    words = format_value(value, unit)
    return (
        f"{words} \N{PLUS-MINUS SIGN} {format_value(error, unit)}" if error is not None else words
    )


def rows(result: PowerResult) -> list[tuple[str, str, str]]:
    """Each phase, its energy and its highest current, each with its error."""
    return [
        (
            phase.title,
            _with_error(phase.joules, phase.joules_error, "J"),
            _with_error(phase.highest_a, phase.highest_error_a, "A"),
        )
        for phase in result.phases
    ]


def _text(run: Run, result: PowerResult) -> "Sequence[str | Table]":
    table = new_table("phase", "energy", "highest current")
    for row in rows(result):
        table.add_row(*cells(*row))
    return ["", table] if result.phases else []


def _lead(run: Run, result: PowerResult) -> str:
    if not result.phases:
        return f"{result.source} shows the energy of no phase."
    last = result.phases[-1]
    words = _with_error(last.joules, last.joules_error, "J") or "no energy, since it has no voltage"
    return f"Energy of {last.title}: {words}."


def _page(run: Run, result: PowerResult) -> tuple[str, Mapping[str, Any]]:
    # The last is the whole boot.
    phases = result.phases[:-1] if len(result.phases) > 1 else result.phases
    return f"{__package__}/power.html.j2", {
        "power": result,
        "rows": rows(result),
        "curves": curves(result.curve, phases, result.curve_unit),
    }


SECTION = Section(result=PowerResult, order=13, text=_text, page=_page, lead=_lead)
