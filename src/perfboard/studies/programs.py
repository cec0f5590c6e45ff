# SPDX-License-Identifier: Apache-2.0
"""Runs the whole programs on a virtual board that figures of the real board were published of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from perfboard.analysis.programs import program_figure
from perfboard.analysis.verification import Row, row_of
from perfboard.model.errors import PerfboardError
from perfboard.model.progress import Progress
from perfboard.model.published import Program, Published


@dataclass(frozen=True)
class Ran:
    """A program that ran: its time in virtual seconds, what it printed, and its exit code."""

    real_s: float
    output: str
    exit_code: int
    run: str


class Runner(Protocol):
    """Runs a program on a virtual board."""

    def __call__(self, program: Program, levels: Mapping[str, str], progress: Progress) -> Ran:
        """Raises PerfboardError where it cannot be run."""


def measure_programs(
    figures: Sequence[Published], margin: float, run: Runner, progress: Progress
) -> tuple[dict[int, Row], tuple[str, ...]]:
    """The row of each figure that is of a program, by its number, and the runs made.

    One run serves all figures that one command prints. Where a program cannot be run, or
    does not print its figure, its rows say why and the others go on.
    """
    ran: dict[tuple[object, ...], Ran | str] = {}
    rows = {}
    programs = [(n, figure, figure.program) for n, figure in enumerate(figures) if figure.program]
    with progress.step("running programs", len(programs)) as step:
        for done, (number, figure, program) in enumerate(programs):
            step.update(done, " ".join(program.command)[:60])
            key = (program.command, program.packages, program.push, *sorted(figure.factors.items()))
            if key not in ran:
                ran[key] = _run(program, figure.factors, run, progress)
            rows[number] = _row(figure, ran[key], margin)
    return rows, tuple(found.run for found in ran.values() if isinstance(found, Ran))


def _run(program: Program, levels: Mapping[str, str], run: Runner, progress: Progress) -> Ran | str:
    """What ran, or why it did not."""
    try:
        return run(program, levels, progress)
    except PerfboardError as error:
        return str(error).partition("\n")[0]


def _row(figure: Published, found: Ran | str, margin: float) -> Row:
    if isinstance(found, str):
        return row_of(figure, None, margin, found)
    if found.exit_code:
        return row_of(figure, None, margin, f"it ended with exit code {found.exit_code}")
    virtual = program_figure(figure, found.output, found.real_s)
    return row_of(figure, virtual, margin, "" if virtual else "it did not print its figure")
