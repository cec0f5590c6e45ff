# SPDX-License-Identifier: Apache-2.0
"""Judges the sightings of a running emulator's instruments."""

import re
import time
from collections.abc import Callable
from threading import Event

from perfboard.analysis.boot.reading.panics import Panic, find_panic
from perfboard.analysis.boot.reading.scope_log import ACCOUNTING
from perfboard.analysis.boot.reading.screen import matches
from perfboard.instruments.base import InstrumentSighting
from perfboard.instruments.emulator_console import ConsoleRecorder
from perfboard.instruments.scope import Scope
from perfboard.instruments.together import Together
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import Cancelled, PerfboardError, TargetError
from perfboard.model.text import printable
from perfboard.targets.virtual.emulator import Emulator

# A guest that prints for ever makes progress of a kind: give up all the same.
LIMITS_PER_BOOT = 10
# U-Boot, lib/hang.c: its last words, before it waits for ever.
_GAVE_UP = "### ERROR ### Please RESET the board ###"


class BoardWatch:
    """Reads the instruments of a running emulator, and judges what they sight.

    It is the Channel of the console too.
    """

    def __init__(
        self,
        board: VirtualBoard,
        instruments: Together,
        console: ConsoleRecorder,
        emulator: Emulator,
        scope: Scope | None = None,
    ) -> None:
        """`console` and `scope` are of the `instruments`, which have been started.

        A board whose scope has beats is judged by its own clock, any other by this machine's.
        """
        self._instruments = instruments
        self.emulator = emulator
        self._console = console
        self._scope = scope if scope is not None and scope.beats else None
        self._limit_s = board.boot.limit_s
        self._awaited = board.boot.usable
        kind, _, what = self._awaited.partition(":")
        self._program = what if kind == "exec" else None
        self._pattern = re.compile(what) if kind == "console" else None
        self._reached: list[str] = []

    def write(self, data: bytes) -> None:
        self._console.write(data)

    def read(self, timeout_s: float) -> bytes:
        """See `targets.base.Channel`. Raises TargetError also for a panic, and a dead emulator."""
        if not self._instruments.open:
            raise self._ended()
        for sighting in self._instruments.read(timeout_s):
            self._judge(sighting)
        return self._console.take()

    def close(self) -> None:
        """Nothing: whoever started the emulator ends it."""

    def until_usable(self, seen: Callable[[str], None], cancelled: Event) -> float:
        """Waits for the mark `usable`; the seconds of this machine until then.

        `seen` gets each mark as it is reached. Raises TargetError if the boot fails, and
        Cancelled soon after another thread sets `cancelled`.
        """
        began = moved = time.monotonic()
        reset = progressed = now = self._now_s()
        while self._instruments.open:
            if cancelled.is_set():
                raise Cancelled
            for sighting in self._instruments.read(0.2):
                if sighting.name not in ACCOUNTING and sighting.kind != "prompt":
                    # Several may have come at once: what counts is when it was.
                    own = self._scope is not None and sighting.ns is not None
                    progressed = (sighting.ns or 0) / 1e9 if own else self._now_s()
                usable = self._judge(sighting)
                if sighting.kind == "mark" and sighting.name not in ACCOUNTING:
                    seen(self._reached[-1])
                if usable:
                    return time.monotonic() - began
            before, now = now, self._now_s()
            if now - progressed > self._limit_s or now - reset > LIMITS_PER_BOOT * self._limit_s:
                raise self._stuck(now - progressed, now - reset)
            if now != before:
                moved = time.monotonic()
            # An emulator that this machine is too busy for, or that was stopped, does not sleep.
            elif time.monotonic() - moved > self._limit_s and self.emulator.asleep():
                raise self._stuck(now - progressed, now - reset, ", and its clock stands still")
        raise self._ended()

    def _now_s(self) -> float:
        return time.monotonic() if self._scope is None else self._scope.now_ns / 1e9

    def _ended(self) -> PerfboardError:
        return self.emulator.death() or TargetError(
            "died", "The emulator closed its console.", self._console.tail
        )

    def _judge(self, sighting: InstrumentSighting) -> bool:
        """Whether this sighting is the `usable` mark. Raises at the end of kernel or bootloader."""
        if sighting.kind == "line":
            if _GAVE_UP in sighting.text and "kernel.entry" not in self._reached:
                raise TargetError(
                    "bootloader",
                    "The bootloader gave up, and waits for somebody to reset the board. Its "
                    "commands are in flash.environment, and in the kernel's region.",
                    self._console.tail,
                )
            panic = find_panic([sighting.text])
            if panic is not None:
                raise self._panicked(panic)
            return self._pattern is not None and matches(self._pattern, sighting.text)
        if sighting.kind == "prompt":
            return self._pattern is not None and matches(self._pattern, sighting.text)
        if sighting.name in ACCOUNTING:
            return False
        name = sighting.name
        if name == "exec":
            name = f"exec:{sighting.text.rpartition('/')[2]}"
        # The guest chooses how its programs are called, and this is shown as it comes.
        self._reached.append(printable(name))
        return self._program is not None and name == f"exec:{self._program}"

    def _panicked(self, panic: Panic) -> TargetError:
        # The lines after the panic's say why.
        self._instruments.settle(0.5)
        if panic.no_root:
            return TargetError(
                "no-root",
                f"The kernel found no root file system: {panic.text}\n"
                "Check the board's kernel arguments (root=, rootfstype=, mtdparts=), that the "
                "kernel has the driver and the file system, and flash.root.",
                self._console.tail,
            )
        return TargetError("panic", f"The kernel panicked: {panic.text}", self._console.tail)

    def _stuck(self, silent_s: float, whole_s: float, still: str = "") -> TargetError:
        clock = "this machine's clock" if self._scope is None else "the board's clock"
        silence = f"no mark or console line for {silent_s:.0f} s of {clock}{still}, "
        silence += f"{whole_s:.0f} s since reset"
        reached = ", ".join(self._reached[-5:]) or "none"
        if any(name == "init.exec" or name.startswith("exec:") for name in self._reached):
            return TargetError(
                "no-mark",
                f"User space started, but the mark `usable` ({self._awaited}) was not reached: "
                f"{silence}.\nThe last marks: {reached}. Check boot.usable and boot.limit_s "
                "in the board file.",
                self._console.tail,
            )
        return TargetError(
            "hang",
            f"The boot hangs: {silence}.\nThe last marks: {reached}. If the board is only "
            "slow, raise boot.limit_s in the board file.",
            self._console.tail,
        )

    def end(self) -> None:
        """Ends the emulator, and reads what it still has to say."""
        self.emulator.quit()
        self._instruments.drain()
