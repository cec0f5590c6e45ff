# SPDX-License-Identifier: Apache-2.0
"""One boot of a virtual board, watched until it is usable, and its record."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event

from perfboard.analysis.boot.record import boot_record
from perfboard.images.image import Image
from perfboard.instruments.scope import WatchedMark
from perfboard.model.errors import TargetError
from perfboard.model.run import Boot
from perfboard.targets.virtual.guest_memory import memory_in_use
from perfboard.targets.virtual.target import VirtualTarget


def boot_once(
    target: VirtualTarget,
    image: Image,
    plugin: Path,
    marks: tuple[WatchedMark, ...],
    folder: Path,
    sighted: Callable[[str], None],
    cancelled: Event,
) -> tuple[Boot, int | None]:
    """The record of a boot that is made now, and the memory in use when it was usable.

    The console's bytes and the scope's files are left in `folder`; `sighted` is told each mark
    as it is reached. The memory is None where it cannot be told. Raises TargetError where the
    boot fails, and Cancelled soon after another thread sets `cancelled`.
    """
    with ExitStack() as stack:
        scope = target.scope(plugin, marks)
        watch = stack.enter_context(target.running(target.command(), [scope], folder))
        seconds = watch.until_usable(sighted, cancelled)
        ram = None
        # A board that switches itself off once it was usable has booted all the same.
        with suppress(TargetError):
            ram = memory_in_use(watch.emulator, target.board, image.symbols, folder)
        watch.end()
    record = boot_record(
        (folder / "scope.jsonl").read_text(),
        (folder / "console.log").read_bytes(),
        target.board.boot.usable,
        target.instruction_ns,
        seconds,
    )
    return record, ram
