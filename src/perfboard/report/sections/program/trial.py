# SPDX-License-Identifier: Apache-2.0
"""What is said of a command that was tried: on the terminal, boards side by side."""

import shlex
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfboard.model.run import FunctionTime, Metric, Run, Trial
from perfboard.model.units import format_value
from perfboard.report.terminal import cells, new_table, render
from perfboard.report.words.evidence import evidence_label, timing_words

if TYPE_CHECKING:
    from rich.table import Table

_FUNCTIONS = 12
_TITLES = {
    "try.time.real": "real",
    "try.time.user": "user",
    "try.time.system": "system",
    "try.time.idle": "idle",
    "try.instructions": "instructions",
    "try.misses.l1i": "L1 instruction misses",
    "try.misses.l1d": "L1 data misses",
    "try.misses.l2": "L2 misses",
    "try.misses.tlb": "TLB misses",
    "try.misses.branch": "branches mispredicted",
    "try.waits.icache": "waited for instructions",
    "try.waits.dcache": "waited for data",
    "try.waits.tlb": "waited for the TLB",
    "try.waits.branch": "waited after branches",
    "try.waits.write": "waited for writes",
    "try.waits.flash": "waited for flash",
    "try.waits.device": "waited for devices",
    "try.waits.console": "waited for the console",
    "try.memory.resident": "memory at most",
}


def metric_title(name: str) -> str:
    """A trial's metric in words."""
    return _TITLES.get(name, name.removeprefix("try.").replace(".", " "))


def ending(trial: Trial) -> str:
    """How the command ended, in words."""
    if trial.late:
        return f"killed at the time limit of {trial.limit_s:g} s"
    if trial.signal is not None:
        try:
            name = signal.Signals(trial.signal).name
        except ValueError:
            name = str(trial.signal)
        out = ", when memory ran out" if trial.oom_kills else ""
        return f"killed by signal {name}{out}"
    return "did not end" if trial.exit_code is None else f"exit code {trial.exit_code}"


def functions(trial: Trial, most: int) -> list[tuple[FunctionTime, float]]:
    """The functions that took the most, each with its share of the time of all."""
    return [
        (row, row.time_s / trial.profiled_s if trial.profiled_s else 0.0)
        for row in trial.profile[:most]
    ]


@dataclass(frozen=True)
class TrialView:
    """What the HTML report shows of a trial; `named` is the time of its functions in s."""

    command: str
    ending: str
    real: float | None
    figures: list[tuple[str, Metric]]
    functions: list[tuple[FunctionTime, float]]
    named: float


def trial_view(run: Run) -> TrialView | None:
    """None for a run that is of something else."""
    trial = run.trial
    if trial is None:
        return None
    reals = [m.samples[0] for m in run.metrics if m.name == "try.time.real" and m.samples]
    return TrialView(
        command=shlex.join(trial.command),
        ending=ending(trial),
        real=reals[0] if reals else None,
        figures=[(metric_title(m.name), m) for m in run.metrics if m.samples],
        functions=functions(trial, len(trial.profile)),
        named=sum(row.time_s for row in trial.profile),
    )


def trial_text(runs: Sequence[Run]) -> str:
    """The runs of one command: each board a column, then where the time went on each."""
    trials = [run.trial for run in runs if run.trial is not None]
    parts: list[str | Table] = [f"$ {shlex.join(trials[0].command)}" if trials else "", ""]
    parts += [_figures(runs), ""]
    for run, trial in zip(runs, trials, strict=True):
        if trial.profile:
            parts += [_profile(run, trial), ""]
    for run in runs:
        words = timing_words(run)
        said = [words] if words else []
        # A note may quote all that another program said.
        said += [note.partition("\n")[0] for note in run.provenance.notes]
        said += [f"{error.kind}: {error.message}" for error in run.errors]
        prefix = f"{run.board.name}: " if len(runs) > 1 else ""
        parts += [f"{prefix}{text}" for text in said]
    return render(parts)


def trial_parts(run: Run) -> "list[str | Table]":
    """One run's, for its text beside the head that all runs have."""
    trial = run.trial
    if trial is None:
        return []
    parts: list[str | Table] = ["", f"$ {shlex.join(trial.command)}", "", _figures([run])]
    return [*parts, "", _profile(run, trial)] if trial.profile else parts


def _figures(runs: Sequence[Run]) -> "Table":
    table = new_table("", *(f"{run.board.name}, {evidence_label(run)}" for run in runs))
    table.add_row(*cells("ended", *(ending(run.trial) if run.trial else "" for run in runs)))
    names = dict.fromkeys(metric.name for run in runs for metric in run.metrics)
    for name in names:
        values = []
        for run in runs:
            metric = next((m for m in run.metrics if m.name == name), None)
            values.append(
                format_value(metric.samples[0], metric.unit) if metric and metric.samples else ""
            )
        table.add_row(*cells(metric_title(name), *values))
    return table


def _function(row: FunctionTime) -> str:
    """Function and file on one line: of a path the last part alone."""
    file = row.file.rpartition("/")[2]
    return f"{file}{row.name}" if row.name.startswith("+") else f"{row.name}  {file}"


def _profile(run: Run, trial: Trial) -> "Table":
    table = new_table("line", f"time on {run.board.name}", "share", "instructions")
    table.columns[0].header = "function"
    for row, share in functions(trial, _FUNCTIONS):
        table.add_row(
            *cells(
                _function(row),
                format_value(row.time_s, "s"),
                f"{share:.1%}",
                format_value(row.instructions, "1"),
            )
        )
    return table
