# SPDX-License-Identifier: Apache-2.0
"""Tries one command on virtual boards: its time there, and where it went."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import inf
from threading import Event, Lock
from typing import IO

from perfboard.bench.lab import Lab
from perfboard.bench.program.ready import ReadyBoard, ready_boards, run_program
from perfboard.images.program.base import ProgramJob
from perfboard.model.options import option, parse_seconds
from perfboard.model.progress import Step
from perfboard.model.run import Run


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
    architecture: str = option(
        "",
        "take the packages of this Debian architecture: armel has programs for the ARM parts that "
        "are older than ARMv7 (default: the board's)",
        metavar="A",
        formerly="port",
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
    with ready_boards(boards, job, factors, lab, stdin) as ready:
        return _try_all(ready, command, lab)


def _try_all(ready: Sequence[ReadyBoard], command: tuple[str, ...], lab: Lab) -> list[Run]:
    cancelled = Event()
    with (
        lab.progress.step("trying", inf) as step,
        ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool,
    ):
        shown = _BoardsStep(step, lab.clock)
        futures: list[Future[Run]] = []
        try:
            # ^C may come as soon as the first has begun.
            for one in ready:
                notify = partial(shown.show, one.name)
                futures.append(pool.submit(run_program, one, command, lab, notify, cancelled))
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            cancelled.set()
            if len(futures) < len(ready):
                raise
            return [future.result() for future in futures]
        finally:
            cancelled.set()


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
