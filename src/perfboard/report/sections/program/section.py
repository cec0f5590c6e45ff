# SPDX-License-Identifier: Apache-2.0
"""The section of a program that was tried; on the terminal also of several boards."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfboard.analysis.compare.answer import speed
from perfboard.model.blocks import Bar, Block, Excerpt, SentenceBlock, TableBlock
from perfboard.model.results.program import FunctionTime, ProgramResult
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_value
from perfboard.report.blocks import block_parts
from perfboard.report.section import Section
from perfboard.report.sections.program.cores import cores_table, of_a_core
from perfboard.report.terminal import render
from perfboard.report.words.evidence import evidence_label, timing_words

if TYPE_CHECKING:
    from rich.table import Table

_FUNCTIONS = 12
_REAL = "try.time.real"


def _title(metric: Metric) -> str:
    return metric.title or metric.name.removeprefix("try.").replace(".", " ")


def program_text(runs: Sequence[Run]) -> str:
    """The runs of one command: each board a column, then where the time went on each."""
    pairs = [(run, result) for run in runs for result in run.results_of(ProgramResult)]
    parts: list[str | Table] = [f"$ {shlex.join(pairs[0][1].command)}" if pairs else ""]
    shown = [_figures(pairs), *(block for pair in pairs for block in _where(*pair))]
    parts += [*block_parts(shown), ""]
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


def _figures(pairs: Sequence[tuple[Run, ProgramResult]]) -> Block:
    titles = {
        metric.name: _title(metric)
        for run, _ in pairs
        for metric in run.metrics
        if not of_a_core(metric)
    }
    rows = [("ended", *(result.summary for _, result in pairs))]
    for name, title in titles.items():
        values = []
        for run, _ in pairs:
            metric = next((m for m in run.metrics if m.name == name), None)
            values.append(
                format_value(metric.samples[0], metric.unit) if metric and metric.samples else ""
            )
        rows.append((title, *values))
    return TableBlock(
        title="What it took",
        caption="From the command's start to its end. Waits are parts of the user's and the "
        "system's time; idle is what is left of the real time of all cores.",
        columns=("", *(f"{run.board.name}, {evidence_label(run)}" for run, _ in pairs)),
        rows=tuple(rows),
        words=1,
        terminal=Excerpt(),
    )


def _function(row: FunctionTime) -> str:
    """Function and file on one line: of a path the last part alone."""
    file = row.file.rpartition("/")[2]
    return f"{file}{row.name}" if row.name.startswith("+") else f"{row.name}  {file}"


def _profile(run: Run, result: ProgramResult) -> Block:
    named_s = sum(row.time_s for row in result.profile)
    first_s = result.profile[0].time_s
    return TableBlock(
        title="Where the time went",
        caption=f"The processor's time by function, {format_value(named_s, 's')} of "
        f"{format_value(result.profiled_s, 's')}. A block of code has all the time that the model "
        "adds while it runs: its waits for memory, and after its branch. Evidence: "
        f"{evidence_label(run)}.",
        columns=(
            *("function", f"time on {run.board.name}", "share", "instructions"),
            *("time as a bar, against the first", "file"),
        ),
        rows=tuple(
            (
                _function(row),
                format_value(row.time_s, "s"),
                f"{row.time_s / result.profiled_s if result.profiled_s else 0.0:.1%}",
                format_value(row.instructions, "1"),
                Bar(share=row.time_s / first_s) if first_s else "",
                row.file,
            )
            for row in result.profile
        ),
        words=1,
        last_words=1,
        terminal=Excerpt(columns=(0, 1, 2, 3), rows=_FUNCTIONS),
    )


def _where(run: Run, result: ProgramResult) -> list[Block]:
    """The tables of cores and functions."""
    profile = [_profile(run, result)] if result.profile else []
    return [*cores_table(run), *profile]


def _blocks(run: Run, result: ProgramResult) -> list[Block]:
    command = SentenceBlock(text=f"$ {shlex.join(result.command)}")
    return [command, _figures([(run, result)]), *_where(run, result)]


def _lead(run: Run, result: ProgramResult) -> str:
    words = [f"{shlex.join(result.command)}: {result.summary}"]
    reals = (m for m in run.metrics if m.name == _REAL and m.samples)
    words += [format_value(m.samples[0], "s") for m in reals]
    return f"{', '.join(words)} ({evidence_label(run, _REAL)})."


SECTION = Section(result=ProgramResult, order=20, blocks=_blocks, lead=_lead)
