# SPDX-License-Identifier: Apache-2.0
"""Virtual boards made ready for a command, and the run of it on one of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import IO

from perfboard.bench.lab import Lab
from perfboard.bench.program.outcome import evaluated, remarks
from perfboard.boards.loader import load_board
from perfboard.factors.choose import check_known, choose, perturbations, trial_factors
from perfboard.host.cache.cache import hash_file
from perfboard.host.files.scratch import scratch_folder
from perfboard.images.packages.apt import AptState
from perfboard.images.packages.root import check_names
from perfboard.images.program.base import ProgramJob, TrialBase, check_job, room_of
from perfboard.images.program.pushed import copy, hash_of
from perfboard.images.variant import Variant
from perfboard.model.errors import Cancelled, EnvironmentLacksError, TargetError
from perfboard.model.results.program import ProgramResult
from perfboard.model.run import Run
from perfboard.model.target import virtual_target
from perfboard.store.recording import Content, Subject, as_text
from perfboard.targets.virtual.program import TrialTarget

# The study that its runs are of.
_STUDY = "try"
_PART = 1 << 20


@dataclass(frozen=True)
class ReadyBoard:
    """A board with all that it needs for the job."""

    target: str
    variant: Variant
    job: ProgramJob
    base: TrialBase
    emulator: str
    plugin: Path

    @property
    def name(self) -> str:
        """The board's name."""
        return self.variant.board.name


@contextmanager
def ready_boards(
    boards: Sequence[str],
    job: ProgramJob,
    factors: Mapping[str, str],
    lab: Lab,
    stdin: IO[bytes] | None = None,
) -> Iterator[list[ReadyBoard]]:
    """The boards in their order, ready as long as the context, which keeps copies of the files.

    `stdin` is read to its end, and is what the command reads; None: nothing. Raises PerfboardError
    for what is wrong with one of them.
    """
    loaded = [load_board(name) for name in boards]
    for one in loaded:
        check_job(job, one.board)
        arch = job.architecture or one.board.machine.architecture.name
        check_names(job.packages, arch)
        AptState(arch, lab.progress).check_known(job.packages)
    variants = []
    for one in loaded:
        what = f"a trial on board {one.board.name}"
        check_known(what, trial_factors(one.board), factors.items())
        variants.append(choose(one, factors))
    with scratch_folder() as copies:
        room = min(room_of(one.board) for one in loaded)
        own = copy_job(job, stdin, copies, room)
        for one in loaded:
            check_job(own, one.board)
        yield [
            _ready(virtual_target(name), variant, own, lab)
            for name, variant in zip(boards, variants, strict=True)
        ]


def copy_job(job: ProgramJob, stdin: IO[bytes] | None, folder: Path, room: int) -> ProgramJob:
    """The job with copies of what it is given, in `folder`, of `stdin` one byte over `room`.

    A user may build a file anew while it runs; what is recorded is what was run.
    """
    files, read = folder / "files", folder / "input"
    files.mkdir()
    try:
        copies = copy(job.files, files)
        if stdin is not None:
            left = room + 1
            with read.open("wb") as kept:
                while left > 0 and (part := stdin.read(min(left, _PART))):
                    kept.write(part)
                    left -= len(part)
    except OSError as error:
        raise EnvironmentLacksError(
            f"--push, --stdin: {error.filename or folder}: {error.strerror}; what is given is "
            f"copied to {folder} first"
        ) from error
    return replace(job, files=copies, input=None if stdin is None else read)


def _ready(target: str, variant: Variant, job: ProgramJob, lab: Lab) -> ReadyBoard:
    emulator = lab.emulator(variant.board.machine.emulator)
    base = lab.prepare(variant, job, lab.progress)
    plugin = lab.scope(variant.board, lab.progress)
    return ReadyBoard(target, variant, job, base, emulator, plugin)


def run_program(
    one: ReadyBoard,
    command: tuple[str, ...],
    lab: Lab,
    notify: Callable[[int, int], None],
    cancelled: Event,
) -> Run:
    """Runs the job's command, and stores the run, one that failed or was interrupted too.

    `command` is that of Perfboard, for the record. For `notify` and `cancelled` see
    `TrialTarget.try_out`. The command's output is among the artifacts, as `stdout` and `stderr`.
    """
    board, base, job = one.variant.board, one.base, one.job
    target = TrialTarget(one.variant, base, job, profiled=True)
    trial = ProgramResult(
        command=tuple(as_text(word) for word in job.command),
        packages=job.packages,
        pushed=tuple(file.name for file in job.files),
        limit_s=job.limit_s,
    )
    levels = {name: one.variant.levels[name] for name in trial_factors(board)}
    subject = Subject(
        target.summary(),
        one.target,
        target.evidence,
        levels=levels,
        perturbed=perturbations(levels),
        tools={board.machine.emulator: one.emulator},
        image={
            "kernel": hash_file(base.kernel),
            "root": hash_file(base.root.image),
            **{f"push {file.name}": hash_of(file) for file in job.files},
            **({"stdin": hash_file(job.input)} if job.input else {}),
        },
        packages=base.packages,
    )
    found = Content(subject, results=(trial,), notes=(*base.notes, *target.notes()))
    with (
        lab.record(_STUDY, board.name, command, "try.time.real") as record,
        record.begin(lambda: found),
    ):
        artifacts = record.folder.artifacts
        results = lab.try_out(target, one.plugin, artifacts, notify, cancelled)
        for name, content in (("stdout", results.stdout), ("stderr", results.stderr)):
            record.folder.write_artifact(name, content)
        metrics, trial = evaluated(
            trial,
            artifacts,
            results,
            base,
            job,
            target.timed,
            target.lacks,
        )
        remarked = remarks(one.variant, trial, results, base, job, metrics, target.lacks)
        notes = (*found.notes, *remarked)
        found = replace(found, metrics=metrics, results=(trial,), notes=notes)
        if results.interrupted:
            raise Cancelled
        if results.late:
            raise TargetError(
                "time-limit",
                f"The command had not ended after {job.limit_s:g} s of the board's time, and was "
                "killed. Raise --time-limit if it needs more.",
            )
    return record.run
