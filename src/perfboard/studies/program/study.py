# SPDX-License-Identifier: Apache-2.0
"""Tries one command on virtual boards: its time there, and where it went."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from threading import Event, Lock
from typing import IO

from perfboard.bench.lab import Lab
from perfboard.bench.request import virtual_target
from perfboard.boards.loader import load_board
from perfboard.factors.choose import check_known, choose, perturbations, trial_factors
from perfboard.host.cache import hash_file
from perfboard.host.scratch import scratch_folder
from perfboard.images.program.base import ProgramJob, TrialBase, check_job, room_of
from perfboard.images.program.pushed import copy, hash_of
from perfboard.images.variant import Variant
from perfboard.model.errors import Cancelled, EnvironmentLacksError, TargetError
from perfboard.model.options import option, parse_seconds
from perfboard.model.progress import Step
from perfboard.model.results.program import ProgramResult
from perfboard.model.run import Run
from perfboard.store.recording import Content, Subject, as_text
from perfboard.studies.program.outcome import evaluated, remarks
from perfboard.targets.virtual.program import TrialTarget

STUDY_NAME = "try"
_PART = 1 << 20


@dataclass(frozen=True)
class ProgramOptions:
    """The options of `perfboard try`."""

    package: tuple[str, ...] = option(
        (),
        "install a Debian package and what it depends on; repeatable",
        parse=tuple,
        metavar="P",
        repeated=True,
    )
    without: tuple[str, ...] = option(
        (),
        "leave out packages that others pull in; P may be a pattern ('mesa*'); repeatable",
        parse=tuple,
        metavar="P",
        repeated=True,
    )
    port: str = option(
        "",
        "take the packages of this Debian port: armel has programs for the ARM parts that are "
        "older than ARMv7 (default: the board's)",
        metavar="PORT",
    )
    push: tuple[str, ...] = option(
        (),
        "copy a file, or a folder with all in it, to the command's working folder; repeatable",
        parse=tuple,
        metavar="PATH",
        repeated=True,
    )
    compare: tuple[str, ...] = option(
        (),
        "also run the command on this board; repeatable",
        parse=tuple,
        metavar="BOARD",
        repeated=True,
    )
    stdin: str = option(
        "",
        "the command's standard input; - passes on Perfboard's own (default: empty)",
        metavar="FILE",
    )
    time_limit: float = option(
        600.0,
        "kill the command after this much of the board's time (default: 600)",
        parse=parse_seconds,
        metavar="SECONDS",
    )


@dataclass(frozen=True)
class _ReadyBoard:
    """A board with all that it needs."""

    variant: Variant
    base: TrialBase
    emulator: str
    plugin: Path


def try_boards(
    boards: Sequence[str],
    job: ProgramJob,
    factors: Mapping[str, str],
    command: tuple[str, ...],
    lab: Lab,
    stdin: IO[bytes] | None = None,
) -> list[Run]:
    """One run for each board, in their order; as many at once as there are processors.

    `command` is that of Perfboard, for the record. `stdin` is read to its end, and is what
    the command reads; None: nothing. The command's output is among each run's
    artifacts, as `stdout` and `stderr`. A run that failed or was interrupted is stored too.
    Raises PerfboardError for what is wrong before the first board is booted.
    """
    loaded = [load_board(name) for name in boards]
    for one in loaded:
        check_job(job, one.board)
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
        prepared = [_prepare(variant, own, lab) for variant in variants]
        return _try_all(prepared, own, command, lab)


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


def _try_all(
    prepared: Sequence[_ReadyBoard], job: ProgramJob, command: tuple[str, ...], lab: Lab
) -> list[Run]:
    cancelled = Event()
    with (
        lab.progress.step("trying", inf) as step,
        ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool,
    ):
        shown = _BoardsStep(step, lab.clock)
        futures: list[Future[Run]] = []
        try:
            # ^C may come as soon as the first has begun.
            for ready in prepared:
                futures.append(pool.submit(_try, ready, job, command, lab, shown, cancelled))
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            cancelled.set()
            if len(futures) < len(prepared):
                raise
            return [future.result() for future in futures]
        finally:
            cancelled.set()


def _prepare(variant: Variant, job: ProgramJob, lab: Lab) -> _ReadyBoard:
    emulator = lab.emulator(variant.board.machine.emulator)
    base = lab.prepare(variant, job, lab.progress)
    return _ReadyBoard(variant, base, emulator, lab.scope(variant.board.network, lab.progress))


class _BoardsStep:
    """How far the boards are, as one line: there is no telling how far the command is."""

    def __init__(self, step: Step, clock: Callable[[], float]) -> None:
        self._step, self._clock = step, clock
        self._lock = Lock()
        self._words: dict[str, str] = {}
        self._began: dict[str, float] = {}
        self._done: dict[str, float] = {}

    def show(self, board: str, now_ns: int, began_ns: int) -> None:
        """The board's clock, and when the command began by it, or 0."""
        with self._lock:
            words = "booting"
            if began_ns:
                began = self._began.setdefault(board, self._clock())
                done = (now_ns - began_ns) / 1e9
                rate = done / max(self._clock() - began, 0.001)
                words = f"{done:.1f} s of it done, {rate:.2g} s a second"
                self._done[board] = done
            self._words[board] = f"{board}: {words}"
            self._step.update(sum(self._done.values()), "; ".join(self._words.values()))


def _try(
    one: _ReadyBoard,
    job: ProgramJob,
    command: tuple[str, ...],
    lab: Lab,
    shown: _BoardsStep,
    cancelled: Event,
) -> Run:
    board, base = one.variant.board, one.base
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
        virtual_target(board.name),
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
        lab.record(STUDY_NAME, board.name, command, "try.time.real") as record,
        record.begin(lambda: found),
    ):
        artifacts = record.folder.path / "artifacts"
        results = lab.try_out(
            target, one.plugin, artifacts, lambda *at: shown.show(board.name, *at), cancelled
        )
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
