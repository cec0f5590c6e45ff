# SPDX-License-Identifier: Apache-2.0
"""Study E (2009): where the time goes between reset and a usable system."""

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from threading import Event

from perfboard.analysis.boot_metrics import metrics_of
from perfboard.analysis.counters import counter_metrics
from perfboard.analysis.statistics import judge
from perfboard.analysis.verification import KERNEL_SIZE
from perfboard.boards.loader import load_board
from perfboard.images.architecture import architecture_of
from perfboard.images.factors import choose_levels, factors_of, recipe_of
from perfboard.images.image import Image, build_image
from perfboard.instruments.scope import WatchedMark, build_plugin
from perfboard.model.board import Board
from perfboard.model.errors import PerfboardError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Boot, Metric, Provenance, Run, RunError, Status, Verdict
from perfboard.store.folder import RunFolder, disk_errors, new_run
from perfboard.studies.base import Request, this_host
from perfboard.studies.booting import boot_once
from perfboard.targets.emulator import emulator_version
from perfboard.targets.virtual import VirtualTarget

# What a mark is called, and the kernel function whose first instruction it is.
_PHASE_SYMBOLS = {
    "kernel.start_kernel": "start_kernel",
    "kernel.sched_init": "sched_init",
    "kernel.rest_init": "rest_init",
    "kernel.prepare_namespace": "prepare_namespace",
}


def marks_to_watch(board: Board, image: Image) -> tuple[WatchedMark, ...]:
    """The marks of a boot of that image.

    Raises UsageError naming the symbol that the phases need and the kernel
    does not have.
    """
    symbols = image.symbols
    marks = [WatchedMark(name, address) for name, address in image.entries.items()]
    if not symbols:
        if board.boot.usable.startswith("exec:"):
            raise UsageError(
                f'boot.usable of board {board.name} is "{board.boot.usable}", but the start of '
                "a program is only seen with the kernel's symbols.\nGive the kernel's System.map "
                'as image.kernel.system_map, or wait for a line: usable = "console:REGEX".'
            )
        return tuple(marks)

    def address(symbol: str, purpose: str) -> int:
        if symbol not in symbols:
            raise UsageError(
                f"The kernel of board {board.name} has no symbol {symbol}, which {purpose}.\n"
                "Is the System.map whole, and the function not inlined? Without any "
                "System.map the marks come from the console and the kernel's log instead."
            )
        return symbols[symbol]

    marks += [
        WatchedMark(name, address(symbol, f"is the mark {name}"))
        for name, symbol in _PHASE_SYMBOLS.items()
    ]
    marks += [
        WatchedMark("init.exec", address("run_init_process", "is the mark init.exec"), text="0"),
        WatchedMark(
            "exec",
            address("bprm_execve", "tells which program starts"),
            every=True,
            text="*2",
        ),
    ]
    switch_words = architecture_of(board).switch_words
    accounting = {
        "switch": WatchedMark(
            "switch", symbols.get("__switch_to", 0), every=True, words=switch_words
        ),
        "fork": WatchedMark("fork", symbols.get("wake_up_new_task", 0), every=True, words=1),
        "comm": WatchedMark(
            "comm", symbols.get("__set_task_comm", 0), every=True, words=1, text="1"
        ),
    }
    if all(mark.address for mark in accounting.values()):
        marks += accounting.values()
    return tuple(marks)


@dataclass(frozen=True)
class BootStudy:
    """Boots a virtual board several times and cuts each boot into phases."""

    name: str = "boot"
    title: str = "Boot time, phase by phase"
    question: str = "Where does the time go between reset and a usable system?"
    default_target: str = "virtual:verdex"
    default_boots: int = 3

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """Those of the board that is booted where none is named; others may have others."""
        return factors_of(load_board(_board_of(self.default_target)).board)

    def run(self, request: Request, progress: Progress) -> Run:
        """See `studies.base.Study`."""
        loaded = load_board(_board_of(request.target))
        levels = choose_levels(loaded.board, request.factors)
        board = recipe_of(loaded.board, levels).board
        emulator = emulator_version(board.machine.emulator)
        image = build_image(loaded, levels, progress)
        marks = marks_to_watch(board, image)
        target = VirtualTarget(board, image, levels)
        plugin = build_plugin(progress)
        started = datetime.now(UTC)
        folder = new_run(self.name, board.name)
        boots: list[Boot] = []
        errors: list[RunError] = []
        status = Status.COMPLETE
        try:
            for boot in _boot_all(request.boots, target, image, plugin, marks, folder, progress):
                boots.append(boot)
        except PerfboardError as error:
            status = Status.FAILED
            errors.append(RunError(kind=error.kind, message=str(error)))
        except KeyboardInterrupt:
            status = Status.ABORTED
            errors.append(
                RunError(kind="interrupted", message=f"Interrupted in boot {len(boots) + 1}.")
            )
        metrics: tuple[Metric, ...] = ()
        if boots:
            counted = counter_metrics("boot.total", [boot.counters for boot in boots])
            metrics = (*metrics_of(boots), *counted, _kernel_size(image))
        total = next((metric for metric in metrics if metric.name == "boot.total"), None)
        verdicts: tuple[Verdict, ...] = ()
        if status is Status.COMPLETE and total is not None:
            margin = board.timing.margin.share if board.timing and target.timed else 0.0
            verdicts = (judge(total, board.boot.budget_s, target.evidence, margin),)
        run = Run(
            id=folder.id,
            study=self.name,
            board=target.summary(),
            target=f"virtual:{board.name}",
            evidence=target.evidence,
            status=status,
            started=started,
            finished=datetime.now(UTC),
            factors=levels,
            provenance=_provenance(
                request, image, target.notes(), {board.machine.emulator: emulator}
            ),
            metrics=metrics,
            boots=tuple(boots),
            verdicts=verdicts,
            errors=tuple(errors),
        )
        folder.finish(run)
        return run


def _boot_all(
    count: int,
    target: VirtualTarget,
    image: Image,
    plugin: Path,
    marks: tuple[WatchedMark, ...],
    folder: RunFolder,
    progress: Progress,
) -> Iterator[Boot]:
    """The boots in their order, made by as many emulators at once as there are processors.

    Their clocks count instructions, so that they do not disturb each other.
    """
    cancelled = Event()
    reached = [0.0] * count
    # The init scripts and what they start are marks too, beside those of the kernel.
    expected = len([mark for mark in marks if not mark.every]) + 30

    with (
        progress.step("booting", count) as step,
        ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool,
    ):

        def boot(number: int) -> Boot:
            def sighted(name: str) -> None:
                reached[number] = min(reached[number] + 1 / expected, 0.95)
                step.update(sum(reached), name)

            artifacts = folder.artifact_path(f"boot-{number + 1}/console.log").parent
            with disk_errors(artifacts):
                done, _ = boot_once(target, image, plugin, marks, artifacts, sighted, cancelled)
            reached[number] = 1.0
            step.update(sum(reached))
            return done

        try:
            futures = [pool.submit(boot, number) for number in range(count)]
            for future in futures:
                yield future.result()
        finally:
            cancelled.set()
            pool.shutdown(cancel_futures=True)


def _kernel_size(image: Image) -> Metric:
    """What the bootloader loads, by which the time that it takes can be compared."""
    size = image.kernel_file.stat().st_size
    return Metric(name=KERNEL_SIZE, unit="B", samples=(float(size),))


def _board_of(target: str) -> str:
    kind, _, board = target.partition(":")
    if kind != "virtual" or not board:
        raise UsageError(
            f'the target is "{target}"; a boot is studied from reset, which virtual boards alone '
            "can do: virtual:BOARD, as in virtual:verdex"
        )
    return board


def _provenance(
    request: Request, image: Image, notes: tuple[str, ...], tools: Mapping[str, str]
) -> Provenance:
    return Provenance(
        perfboard=version("perfboard"),
        command=request.command,
        host=this_host(),
        tools=dict(tools),
        image=dict(image.hashes),
        packages=dict(image.packages),
        notes=(*image.notes, *notes),
    )


STUDY = BootStudy()
