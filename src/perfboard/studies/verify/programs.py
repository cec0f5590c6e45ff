# SPDX-License-Identifier: Apache-2.0
"""Runs the whole programs on a virtual board that figures of the real board were published of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from threading import Event

from perfboard.analysis.verify.programs import program_figure
from perfboard.analysis.verify.rows import Claim, row_of
from perfboard.bench.lab import Lab
from perfboard.bench.program.ready import ready_boards, run_program
from perfboard.binaries.programs import own_program
from perfboard.boards.loader import load_board
from perfboard.host.programs.fetch import npm_file
from perfboard.images.program.base import ProgramJob
from perfboard.model.board.architecture import Architecture
from perfboard.model.errors import PerfboardError
from perfboard.model.progress import Progress
from perfboard.model.published import NpmFile, OwnProgram, PublishedValue
from perfboard.model.results.program import ProgramResult
from perfboard.model.run import Run, Status
from perfboard.store.folder import find_run
from perfboard.studies.verify.ahead import RunsAhead
from perfboard.studies.verify.plan import ProgramKey, program_key

# The share that a metric may be wrong by.
MarginOf = Callable[[str], float | None]
RunOn = Callable[[str, ProgramJob, Mapping[str, str], tuple[str, ...], Lab], Run]


@dataclass(frozen=True)
class Programs:
    """The row of each figure by its number, and the runs.

    If it was interrupted, figures of the programs from there on have no row.
    """

    rows: Mapping[int, Claim] = field(default_factory=dict)
    runs: tuple[str, ...] = ()
    interrupted: bool = False


@dataclass(frozen=True)
class _ProgramRun:
    """A program that ran: its time in virtual seconds, what it printed, its run, the host's s."""

    real_s: float
    output: str
    run: str
    host_s: float


def run_on(
    board: str, job: ProgramJob, factors: Mapping[str, str], command: tuple[str, ...], lab: Lab
) -> Run:
    """Runs the job's command on the board, and stores the run as `perfboard try` does."""
    with (
        ready_boards([board], job, factors, lab) as (ready,),
        lab.progress.step("trying", inf) as step,
    ):

        def notify(now_ns: int, began_ns: int) -> None:
            done_s = (now_ns - began_ns) / 1e9 if began_ns else 0.0
            step.update(done_s, f"{board}: {done_s:.1f} s of it done")

        return run_program(ready, command, lab, notify, Event())


def measure_programs(
    board: str,
    figures: Sequence[PublishedValue],
    margin: MarginOf,
    command: tuple[str, ...],
    lab: Lab,
    ahead: RunsAhead,
    run_on: RunOn = run_on,
    fetch: Callable[[NpmFile, Progress], Path] = npm_file,
    compiled: Callable[[OwnProgram, Architecture, Progress], Path] = own_program,
) -> Programs:
    """Runs each program that a figure is of.

    One run serves all figures that one command prints. If a program cannot be run, or does not
    print its figure, its rows say why and the others go on. `ahead` has all runs of the whole.
    """
    loaded = load_board(board)
    folder, arch = loaded.path.resolve().parent, loaded.board.machine.architecture

    def run(key: ProgramKey, lab: Lab) -> _ProgramRun | str:
        """The program that ran, or the reason why it did not."""
        program, factors = key
        try:
            files = (
                *(folder / file for file in program.push),
                *(fetch(file, lab.progress) for file in program.npm),
                *([compiled(program.own, arch, lab.progress)] if program.own else []),
            )
            job = ProgramJob(program.command, program.packages, files)
            trial = run_on(board, job, dict(factors), command, lab)
        except PerfboardError as error:
            return _first_line(str(error))
        if trial.status is Status.ABORTED:
            raise KeyboardInterrupt
        for problem in trial.errors:
            return _first_line(problem.message)
        return _ended(trial)

    ran: dict[ProgramKey, _ProgramRun | str] = {}
    rows, interrupted = {}, False
    for number, figure in enumerate(figures):
        if figure.program is None:
            continue
        key = program_key(figure.program, figure)
        if key not in ran and not interrupted:
            try:
                ran[key] = run(key, ahead.lab_for(key, lab))
            except KeyboardInterrupt:
                interrupted = True
        if key in ran:
            rows[number] = _row(figure, ran[key], margin(figure.metric))
    ended = (found.run for found in ran.values() if isinstance(found, _ProgramRun))
    return Programs(rows, tuple(ended), interrupted)


def _ended(trial: Run) -> _ProgramRun | str:
    (result,) = trial.results_of(ProgramResult)
    if result.signal:
        return "it was killed by a signal"
    if result.exit_code:
        return f"it ended with exit code {result.exit_code}"
    (real,) = (metric for metric in trial.metrics if metric.name == "try.time.real")
    output: Path = find_run(trial.id) / "artifacts" / "stdout"
    text = output.read_text(errors="replace")
    # All that it needs was built before.
    host_s = (trial.finished - trial.started).total_seconds()
    return _ProgramRun(real.samples[0], text, trial.id, host_s)


def _first_line(message: str) -> str:
    return message.partition("\n")[0]


def _row(figure: PublishedValue, found: _ProgramRun | str, margin: float | None) -> Claim:
    if isinstance(found, str):
        return row_of(figure, None, margin, found)
    virtual = program_figure(figure, found.output, found.real_s)
    row = row_of(figure, virtual, margin, "" if virtual else "it did not print its figure")
    return replace(row, host_s=found.host_s)
