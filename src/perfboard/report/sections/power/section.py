# SPDX-License-Identifier: Apache-2.0
"""The section of a boot's energy: each phase's joules and highest current."""

from collections.abc import Iterator, Mapping
from typing import Any

from perfboard.model.blocks import Block, Excerpt, SentenceBlock, TableBlock
from perfboard.model.results.power import PowerResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.charts.curve import curves
from perfboard.report.section import Section


def _with_error(value: float | None, error: float | None, unit: str) -> str:
    if value is None:
        return ""
    words = format_value(value, unit)
    return (
        f"{words} \N{PLUS-MINUS SIGN} {format_value(error, unit)}" if error is not None else words
    )


def _blocks(run: Run, result: PowerResult) -> Iterator[Block]:
    period = f"a sample every {format_value(result.period_s, 's')}"
    if result.phases:
        yield TableBlock(
            title="Energy of the phases",
            caption=f"By {result.source}, {period}. The error of an energy is that between samples "
            "and at the phase's ends; a current may be higher between two samples.",
            columns=("phase", "energy", "highest current"),
            rows=tuple(
                (
                    phase.title,
                    _with_error(phase.joules, phase.joules_error, "J"),
                    _with_error(phase.highest_a, phase.highest_error_a, "A"),
                )
                for phase in result.phases
            ),
            words=1,
            terminal=Excerpt(),
        )
    if result.too_slow:
        words = f"Too slow a meter for {', '.join(result.too_slow)}: {period}."
        yield SentenceBlock(text=words, warning=True, detail=True)


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
        "source": result.source,
        "curves": curves(result.curve, phases, result.curve_unit),
    }


SECTION = Section(result=PowerResult, order=13, blocks=_blocks, page=_page, lead=_lead)
