# SPDX-License-Identifier: Apache-2.0
"""The section of all that was measured: rows, each with its blocks, then what probes measured."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from perfboard.model.blocks import Block
from perfboard.model.results.guide import GuideResult
from perfboard.model.results.measures import Measurement, MeasuresResult
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Run
from perfboard.report.blocks import block_parts
from perfboard.report.section import Section
from perfboard.report.sections.measures.probes_page import probes_view
from perfboard.report.sections.measures.probes_text import probe_parts
from perfboard.report.sections.measures.rows import (
    answers,
    is_bringup,
    row_parts,
    sentences,
    shown,
)
from perfboard.report.words.evidence import evidence_label

if TYPE_CHECKING:
    from rich.table import Table


def _has_row(run: Run, one: Measurement) -> bool:
    """Whether there is something to say; a profile's own table has the reasons for none."""
    return bool(one.figures or one.short or (one.reason and not run.results_of(ProfileResult)))


def _rows(run: Run, result: MeasuresResult) -> list[Measurement]:
    return [each for each in result.own if _has_row(run, each)]


def _probed(run: Run, result: MeasuresResult) -> Run | None:
    """The run with the metrics of probes alone; None if no probe ran."""
    if not result.own:
        return run
    probes = {process.probe for process in result.processes}
    places = {at for at, each in enumerate(result.measurements) if each.measure in probes}
    metrics = tuple(m for m in run.metrics if m.processes or m.measurement in places)
    return run.model_copy(update={"metrics": metrics}) if metrics or probes else None


def _lead(run: Run, result: MeasuresResult) -> str:
    # Those say it themselves.
    if any(run.results_of(kind) for kind in (ProfileResult, GuideResult)):
        return ""
    rows, probed = _rows(run, result), _probed(run, result)
    parts = [f"{run.board.name}: {answers(rows)}."] if rows else []
    if probed:
        of = [m for m in probed.metrics if m.name == "memory.latency"] or probed.metrics
        parts.append(f"{probes_view(probed, result).summary} ({evidence_label(run, *of)}).")
    return " ".join(parts)


def _text(run: Run, result: MeasuresResult) -> "list[str | Table]":
    if run.results_of(GuideResult):
        # Its rows are these.
        return []
    rows, probed = _rows(run, result), _probed(run, result)
    has_published = any(f.published is not None for row in rows for f in row.figures)
    parts: list[str | Table] = []
    for each in result.own:
        if _has_row(run, each):
            parts += row_parts(each, has_published)
        parts += block_parts(each.blocks)
    return [*parts, *(probe_parts(probed, result) if probed else ())]


def _page(run: Run, result: MeasuresResult) -> tuple[str, Mapping[str, Any]]:
    rows, probed = _rows(run, result), _probed(run, result)
    context = {
        "title": "Disk, network and memory" if is_bringup(rows) else "The measures",
        "rows": [(row, shown(row), sentences(row)) for row in rows],
        "sources": list(dict.fromkeys(f.source for row in rows for f in row.figures if f.source)),
        "probed": probes_view(probed, result) if probed else None,
    }
    return f"{__package__}/measures.html.j2", context


def _blocks(run: Run, result: MeasuresResult) -> list[Block]:
    return [block for each in result.own for block in each.blocks]


SECTION = Section(
    result=MeasuresResult, order=4, blocks=_blocks, text=_text, page=_page, lead=_lead
)
