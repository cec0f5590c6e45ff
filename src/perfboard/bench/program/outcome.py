# SPDX-License-Identifier: Apache-2.0
"""The outcome of a command on a virtual board: its metrics, its profile, and notes."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from signal import SIGILL

from perfboard.analysis.program.metrics import how_often, instants, ran, trial_metrics
from perfboard.analysis.program.profile import Block, by_function, read_blocks, seconds, split
from perfboard.images.packages.missing import missing_remarks
from perfboard.images.program.base import FOLDER, ProgramJob, TrialBase
from perfboard.images.program.code import CodePages, kernel_functions
from perfboard.images.program.pushed import regular_files
from perfboard.images.variant import Variant
from perfboard.model.errors import TargetError
from perfboard.model.results.program import FunctionTime, ProgramResult
from perfboard.model.run import Metric
from perfboard.model.timing.lacks import Lacks
from perfboard.model.units import format_size
from perfboard.targets.virtual.program import MARK, MARKS, ProgramResults

# Functions that run.json keeps; all of them are in the artifact profile.jsonl, by address.
_MOST_FUNCTIONS = 100
_NOT_FOUND = 127
# A shell adds it to the signal that killed its last command.
_BY_SIGNAL = 128
# Debian's C library, and the share of the time from which on it decides.
_C_LIBRARY = re.compile(r"libc(\.so\.6|-\d)")
_MUCH = 0.05


def evaluated(
    trial: ProgramResult,
    artifacts: Path,
    results: ProgramResults,
    base: TrialBase,
    job: ProgramJob,
    timed: bool,
    lacks: Lacks | None,
) -> tuple[tuple[Metric, ...], ProgramResult]:
    """The metrics, and the trial with how it ended and its functions by their time.

    `lacks` are the instructions that the part lacks.

    Raises TargetError where the command cannot be timed.
    """
    marks = instants((artifacts / "scope.jsonl").read_text(), MARK)
    if len(marks) != MARKS:
        raise TargetError(
            "mark",
            "The command, or a program that it ran, made the system call vhangup, by which "
            "Perfboard tells when it begins and ends: it cannot be timed.",
        )
    user_s, system_s = results.user_s, results.system_s
    functions: tuple[FunctionTime, ...] = ()
    blocks: list[Block] = []
    if timed:
        blocks = read_blocks((artifacts / "profile.jsonl").read_text())
        user, system = split(blocks, base.symbols.addresses["_text"])
        user_s, system_s = seconds(user), seconds(system)
        pushed = {f"{FOLDER}/{place}": path for place, path in regular_files(job.files).items()}
        pages = CodePages({**base.root.files, **pushed})
        kernel = kernel_functions(base.symbols)
        functions = by_function(user, system, pages.find, kernel.name)
    ended = {
        "exit_code": results.exit_code,
        "signal": results.signal,
        "late": results.late,
        "interrupted": results.interrupted,
        "oom_kills": results.oom_kills,
        "cut": results.cut,
        "lacked": ran(marks[0], marks[1], lacks.kinds) if lacks and timed else {},
        "stdout_bytes": len(results.stdout),
        "stderr_bytes": len(results.stderr),
        "profile": functions[:_MOST_FUNCTIONS],
        "profiled_s": seconds(blocks),
    }
    metrics = trial_metrics(marks[0], marks[1], user_s, system_s, results.resident_bytes)
    return metrics, trial.model_copy(update=ended)


def remarks(
    variant: Variant,
    trial: ProgramResult,
    results: ProgramResults,
    base: TrialBase,
    job: ProgramJob,
    metrics: Sequence[Metric],
    lacks: Lacks | None,
) -> list[str]:
    """Notes on the parts of the kernel and the C library in the time, and on the command's end."""
    board = variant.board
    found = [_of_kernel(variant, metrics), *library_remark(trial, lacks)]
    if trial.lacked:
        found.append(f"Instructions that the part lacks ran {how_often(trial.lacked)}.")
    if SIGILL in (results.signal, (results.exit_code or 0) - _BY_SIGNAL):
        part = f": compile it for the part, {board.timing.core.name}" if board.timing else ""
        found.append(
            "A program was killed for an instruction that the emulated processor "
            f"({board.machine.cpu.partition(',')[0]}) does not know{part}."
        )
    if results.oom_kills:
        found.append(
            f"The board's memory, {format_size(board.machine.ram)}, was used up: its kernel "
            f"killed {results.oom_kills} processes of the command's."
        )
    if results.cut:
        found.append(
            "The command's output is cut off: there was no more room for it, and its writer saw a "
            "full disk."
        )
    if results.exit_code == _NOT_FOUND:
        found += missing_remarks(results.stderr, regular_files(job.files).values(), base.root.files)
    return found


def _of_kernel(variant: Variant, metrics: Sequence[Metric]) -> str:
    """How much of the time is the kernel's, and how that is configured."""
    times = {metric.name: metric.samples[0] for metric in metrics}
    # Several cores whose instructions alone are counted have no time.
    system_s = times.get("try.time.system", 0.0)
    ran = times.get("try.time.user", 0.0) + system_s
    share = f" took {system_s / ran:.0%} of the work's time, and" if ran else ""
    level = variant.levels["config"]
    other = ""
    if level != "distribution":
        other = "; a distribution's takes longer for calls and switches (--set config=distribution)"
    return f"The kernel{share} has the configuration {level}{other}."


def library_remark(trial: ProgramResult, lacks: Lacks | None) -> Iterator[str]:
    """How much of the time is of a C library that is not the real board's, if that is much."""
    if lacks is None or not lacks.built_in or not trial.profiled_s:
        return
    library = [one.time_s for one in trial.profile if _C_LIBRARY.match(Path(one.file).name)]
    share = sum(library) / trial.profiled_s
    if share >= _MUCH:
        yield (
            f"The C library took {share:.0%} of the time. It is Debian's, with instructions that "
            f"the part lacks ({lacks.instructions}): the real board has another, whose copies "
            "and comparisons take other times."
        )
