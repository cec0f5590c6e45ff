# SPDX-License-Identifier: Apache-2.0
"""Boots of a virtual board, watched by the scope."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

from perfboard.analysis.boot.bounds.timed import TimedBoard, timed_limits
from perfboard.analysis.boot.metrics import FIRMWARE, KERNEL_SIZE
from perfboard.bench.base import BootFindings
from perfboard.bench.boot.base import boot_noted
from perfboard.bench.boot.functions import Namer
from perfboard.bench.boot.parts import parts_of
from perfboard.bench.lab import Lab
from perfboard.images.image import Image
from perfboard.images.variant import Variant
from perfboard.instruments.scope import WatchedMark
from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.results.limits import LimitsResult
from perfboard.model.run import Metric
from perfboard.store.image import PARTS
from perfboard.targets.virtual.target import VirtualTarget

# A mark's name, and the kernel function whose first instruction it is.
_PHASE_SYMBOLS = {
    "kernel.start_kernel": "start_kernel",
    "kernel.sched_init": "sched_init",
    "kernel.rest_init": "rest_init",
    "kernel.prepare_namespace": "prepare_namespace",
}

# The first and the last address of what a kernel unpacks itself to.
_KERNEL_ENDS = ("_text", "_edata")


def marks_to_watch(board: VirtualBoard, image: Image) -> tuple[WatchedMark, ...]:
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
    switch_words = board.machine.architecture.switch_words
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


class ImageBoots:
    """The image of a virtual board, built to be booted."""

    def __init__(self, variant: Variant, lab: Lab, *, functions: bool = False) -> None:
        """With `functions` each boot leaves those that its time went to, if the board is timed."""
        board = variant.board
        self.variant, self._lab = variant, lab
        self.image = image = lab.build(variant, lab.progress)
        self._marks = marks_to_watch(board, image)
        self._namer = None
        if functions and image.symbols and variant.timed:
            self._marks = tuple(
                replace(m, lap=not m.every or m.name == "exec") for m in self._marks
            )
            self._namer = Namer(image, variant.loaded)
        self._parts = parts_of(image, variant.loaded)
        self._target = VirtualTarget(variant, image)
        self._plugin = lab.scope(board, lab.progress)
        self.notes = dict.fromkeys((*image.notes, *self._target.notes()))

    def boots(self, count: int, first: int, artifacts: Path) -> Iterator[Boot]:
        """The boots in their order, made by as many emulators at once as there are processors.

        Their clocks count instructions, so that they do not disturb each other. The first one's
        artifacts go to the folder boot-`first`.
        """
        (artifacts / PARTS).write_text(self._parts.model_dump_json(by_alias=True) + "\n")
        cancelled = Event()
        reached = [0.0] * count
        # The init scripts and what they start are marks too, besides those of the kernel.
        expected = len([mark for mark in self._marks if not mark.every]) + 30

        with (
            self._lab.progress.step("booting", count) as step,
            ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool,
        ):

            def boot(number: int) -> Boot:
                def seen(name: str) -> None:
                    reached[number] = min(reached[number] + 1 / expected, 0.95)
                    step.update(sum(reached), name)

                folder = artifacts / f"boot-{first + number}"
                folder.mkdir()
                scope = self._target.scope(self._plugin, self._marks, beats=True, picture=True)
                boot_once = partial(self._lab.boot, self._target)
                done, _ = boot_noted(boot_once, [scope], folder, seen, cancelled, self.notes)
                if self._namer is not None:
                    self._namer.write(folder, done)
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

    def findings(self, boots: Sequence[Boot]) -> BootFindings:
        """The size that the bootloader loads, by which its time can be compared; the limits."""
        size = float(self.image.kernel_file.stat().st_size)
        limits = _limits(self.variant, self.image, boots)
        metrics = [Metric(name=KERNEL_SIZE, unit="B", samples=(size,))]
        board = self.variant.board
        if isinstance(board, FlashBoard) and board.firmware and self.variant.timed:
            metrics.append(
                Metric(
                    name=FIRMWARE,
                    title="firmware before the reset that is emulated",
                    unit="s",
                    samples=(board.firmware.duration,),
                    evidence="published",
                )
            )
        return BootFindings(tuple(metrics), (limits,) if limits else ())


def _limits(variant: Variant, image: Image, boots: Sequence[Boot]) -> LimitsResult | None:
    """The limits of a timed board, at the fastest levels of its flash."""
    timing = variant.board.timing
    if timing is None or not variant.timed:
        return None
    own = {factor: variant.levels[factor] for factor in timing.factors}
    symbols = image.symbols
    ends = [symbols[name] for name in _KERNEL_ENDS if name in symbols]
    return timed_limits(
        boots,
        TimedBoard(
            timing=timing.at(own),
            card=variant.recipe.card,
            levels=variant.levels,
            faster={
                f"--set flash={level}": timing.at({**own, "flash": level})
                for level in timing.factors.get("flash", {})
            },
            baud=variant.board.console.baud,
            kernel_bytes=image.kernel_file.stat().st_size,
            unpacked_bytes=ends[1] - ends[0] if len(ends) == len(_KERNEL_ENDS) else None,
        ),
    )
