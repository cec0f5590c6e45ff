# SPDX-License-Identifier: Apache-2.0
"""The section of a program that was tried; on the terminal also of several boards."""

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perfboard.analysis.compare.answer import speed
from perfboard.model.results.program import FunctionTime, ProgramResult
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_value
from perfboard.report.section import Section
from perfboard.report.terminal import cells, new_table, render
from perfboard.report.words.evidence import evidence_label, timing_words

if TYPE_CHECKING:
    from rich.table import Table

_FUNCTIONS = 12
_REAL = "try.time.real"


def metric_title(metric: Metric) -> str:
    """The metric in words."""
    return metric.title or metric.name.removeprefix("try.").replace(".", " ")


def functions(result: ProgramResult, most: int) -> list[tuple[FunctionTime, float]]:
    """The functions that took the most, each with its share of the time of all."""
    return [
        (row, row.time_s / result.profiled_s if result.profiled_s else 0.0)
        for row in result.profile[:most]
    ]


def program_text(runs: Sequence[Run]) -> str:
    """The runs of one command: each board a column, then where the time went on each."""
    pairs = [(run, result) for run in runs for result in run.results_of(ProgramResult)]
    parts: list[str | Table] = [f"$ {shlex.join(pairs[0][1].command)}" if pairs else "", ""]
    parts += [_figures(pairs), ""]
    for run, result in pairs:
        if result.profile:
            parts += [_profile(run, result), ""]
    for run in runs:
        words = timing_words(run)
        lines = [words] if words else []
        # A note may quote another program's whole output.
        lines += [note.partition("\n")[0] for note in run.provenance.notes]
        lines += [f"{error.kind}: {error.message}" for error in run.errors]
        prefix = f"{run.board.name}: " if len(runs) > 1 else ""
        parts += [f"{prefix}{text}" for text in lines]
    first = pairs[0][0] if pairs else None
    ratios = [speed(first, run, _REAL) for run, _ in pairs[1:] if first and not run.errors]
    parts += ["", " ".join(filter(None, ratios))] if any(ratios) else []
    return render(parts)


def _text(run: Run, result: ProgramResult) -> "list[str | Table]":
    """One run's, for its text beside the head that all runs have."""
    shown = _figures([(run, result)])
    parts: list[str | Table] = ["", f"$ {shlex.join(result.command)}", "", shown]
    return [*parts, "", _profile(run, result)] if result.profile else parts


def _figures(pairs: Sequence[tuple[Run, ProgramResult]]) -> "Table":
    table = new_table("", *(f"{run.board.name}, {evidence_label(run)}" for run, _ in pairs))
    table.add_row(*cells("ended", *(result.summary for _, result in pairs)))
    titles = {metric.name: metric_title(metric) for run, _ in pairs for metric in run.metrics}
    for name, title in titles.items():
        values = []
        for run, _ in pairs:
            metric = next((m for m in run.metrics if m.name == name), None)
            values.append(
                format_value(metric.samples[0], metric.unit) if metric and metric.samples else ""
            )
        table.add_row(*cells(title, *values))
    return table


def _function(row: FunctionTime) -> str:
    """Function and file on one line: of a path the last part alone."""
    file = row.file.rpartition("/")[2]
    return f"{file}{row.name}" if row.name.startswith("+") else f"{row.name}  {file}"


def _profile(run: Run, result: ProgramResult) -> "Table":
    table = new_table("line", f"time on {run.board.name}", "share", "instructions")
    table.columns[0].header = "function"
    for row, share in functions(result, _FUNCTIONS):
        table.add_row(
            *cells(
                _function(row),
                format_value(row.time_s, "s"),
                f"{share:.1%}",
                format_value(row.instructions, "1"),
            )
        )
    return table


def _lead(run: Run, result: ProgramResult) -> str:
    words = [f"{shlex.join(result.command)}: {result.summary}"]
    reals = (m for m in run.metrics if m.name == _REAL and m.samples)
    words += [format_value(m.samples[0], "s") for m in reals]
    return f"{', '.join(words)} ({evidence_label(run)})."


def _page(run: Run, result: ProgramResult) -> tuple[str, Mapping[str, Any]]:
    return f"{__package__}/program.html.j2", {
        "figures": [(metric_title(m), m) for m in run.metrics if m.samples],
        "functions": functions(result, len(result.profile)),
        "named_s": sum(row.time_s for row in result.profile),
        "profiled_s": result.profiled_s,
    }


SECTION = Section(result=ProgramResult, order=20, text=_text, page=_page, lead=_lead)
