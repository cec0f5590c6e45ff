# SPDX-License-Identifier: Apache-2.0
"""A virtual board: an emulator whose clock counts instructions, watched while it boots."""

import re
import selectors
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event

from perfboard.analysis.kernel_log import Panic, find_panic
from perfboard.analysis.scope_log import ACCOUNTING
from perfboard.images.image import Image
from perfboard.instruments.base import Instrument, Sighting
from perfboard.instruments.console import ConsoleRecorder
from perfboard.model.board import Board
from perfboard.model.errors import TargetError
from perfboard.targets.base import Cancelled
from perfboard.targets.emulator import Emulator

# A guest that prints for ever makes progress of a kind: give up all the same.
_LIMITS_PER_BOOT = 10
_DRAIN_S = 5.0


class VirtualTarget:
    """Boots one image on one virtual board."""

    def __init__(self, board: Board, image: Image) -> None:
        """`image` is what `build_image` made for `board`."""
        self.board = board
        self._image = image

    def command(self) -> list[str]:
        """The emulator's command line, without instruments.

        The clock of the guest and its real-time clock are made of the count of
        instructions alone; nothing random or timed by the host reaches it.
        """
        machine = self.board.machine
        command = [
            machine.emulator,
            *("-M", machine.type, "-cpu", machine.cpu, "-m", f"{machine.ram // 1024}k"),
            *("-icount", f"shift={machine.icount_shift},sleep=off"),
            *("-rtc", "base=2010-01-01,clock=vm"),
            *("-display", "none", "-no-reboot", "-no-user-config", "-nodefaults"),
            # An interface on a hub without other ports: it has a link, and no one answers.
            *("-netdev", "hubport,id=net0,hubid=0", "-device", "virtio-net-device,netdev=net0"),
        ]
        for unit, bank in enumerate(self._image.banks):
            path = str(bank).replace(",", ",,")
            command += [
                "-drive",
                f"if=pflash,unit={unit},format=raw,snapshot=on,file={path}",
            ]
        return command

    def boot(
        self,
        instruments: Sequence[Instrument],
        artifacts: Path,
        sighted: Callable[[str], None],
        cancelled: Event,
    ) -> float:
        """Boots until usable; see `targets.base.Boot`."""
        console = ConsoleRecorder()
        instruments = [console, *instruments]
        with ExitStack() as stack:
            attachments = []
            for instrument in instruments:
                stack.callback(instrument.stop)
                attachments.append(instrument.prepare(artifacts))
            command = self.command() + [a for item in attachments for a in item.arguments]
            descriptors = [d for item in attachments for d in item.descriptors]
            emulator = stack.enter_context(
                Emulator(command, descriptors, artifacts / "emulator.log", artifacts)
            )
            for instrument in instruments:
                instrument.start()
            started = time.monotonic()
            emulator.resume()
            watch = _Watch(self.board, instruments, console, emulator, sighted, cancelled)
            with closing(watch):
                watch.until_usable()
                elapsed = time.monotonic() - started
                emulator.quit()
                watch.drain()
        return elapsed


class _Watch:
    """Reads the instruments, and judges what they sight."""

    def __init__(
        self,
        board: Board,
        instruments: Sequence[Instrument],
        console: ConsoleRecorder,
        emulator: Emulator,
        sighted: Callable[[str], None],
        cancelled: Event,
    ) -> None:
        self._emulator = emulator
        self._sighted = sighted
        self._cancelled = cancelled
        self._console = console
        self._limit_s = board.boot.limit_s
        self._awaited = board.boot.usable
        kind, _, what = self._awaited.partition(":")
        self._program = what if kind == "exec" else None
        self._pattern = re.compile(what) if kind == "console" else None
        self._reached: list[str] = []
        self._selector = selectors.DefaultSelector()
        for instrument in instruments:
            self._selector.register(instrument.fileno(), selectors.EVENT_READ, instrument)

    def close(self) -> None:
        self._selector.close()

    def _read(self, timeout: float) -> list[Sighting]:
        sightings: list[Sighting] = []
        for key, _ in self._selector.select(timeout):
            arrived = key.data.read()
            if arrived is None:
                self._selector.unregister(key.fileobj)
            else:
                sightings += arrived
        return sightings

    def until_usable(self) -> None:
        began = progressed = time.monotonic()
        while self._selector.get_map():
            if self._cancelled.is_set():
                raise Cancelled
            for sighting in self._read(0.2):
                if sighting.name not in ACCOUNTING and sighting.kind != "prompt":
                    progressed = time.monotonic()
                if self._judge(sighting):
                    return
            now = time.monotonic()
            if now - progressed > self._limit_s or now - began > _LIMITS_PER_BOOT * self._limit_s:
                raise self._stuck(now - progressed, now - began)
        raise self._emulator.death() or TargetError(
            "died", "The emulator closed the console and the scope.", self._console.tail
        )

    def _judge(self, sighting: Sighting) -> bool:
        """Whether this sighting is the `usable` mark. Raises when it is a panic."""
        if sighting.kind == "line":
            panic = find_panic([sighting.text])
            if panic is not None:
                raise self._panicked(panic)
            return bool(self._pattern and self._pattern.search(sighting.text[:4096]))
        if sighting.kind == "prompt":
            return bool(self._pattern and self._pattern.search(sighting.text[:4096]))
        if sighting.name in ACCOUNTING:
            return False
        name = sighting.name
        if name == "exec":
            name = f"exec:{sighting.text.rpartition('/')[2]}"
        self._reached.append(name)
        self._sighted(name)
        return self._program is not None and name == f"exec:{self._program}"

    def _panicked(self, panic: Panic) -> TargetError:
        # What follows the panic's line on the console says why.
        self._settle(0.5)
        if panic.no_root:
            return TargetError(
                "no-root",
                f"The kernel found no root file system: {panic.text}\n"
                "Check the board's kernel arguments (root=, rootfstype=, mtdparts=), that the "
                "kernel has the driver and the file system, and flash.root.",
                self._console.tail,
            )
        return TargetError("panic", f"The kernel panicked: {panic.text}", self._console.tail)

    def _stuck(self, silent_s: float, whole_s: float) -> TargetError:
        reached = ", ".join(self._reached[-5:]) or "none"
        if any(name == "init.exec" or name.startswith("exec:") for name in self._reached):
            return TargetError(
                "no-mark",
                f"User space started, but the mark `usable` ({self._awaited}) was not reached: "
                f"no mark or console line for {silent_s:.0f} s of host time, {whole_s:.0f} s "
                f"since reset.\nThe last marks: {reached}. Check boot.usable and boot.limit_s "
                "in the board file.",
                self._console.tail,
            )
        return TargetError(
            "hang",
            f"The boot hangs: no mark or console line for {silent_s:.0f} s of host time, "
            f"{whole_s:.0f} s since reset.\nThe last marks: {reached}. If the board is only "
            "slow, raise boot.limit_s in the board file.",
            self._console.tail,
        )

    def _settle(self, quiet_s: float) -> None:
        deadline = time.monotonic() + _DRAIN_S
        while self._selector.get_map() and time.monotonic() < deadline:
            if not self._read(quiet_s):
                return

    def drain(self) -> None:
        """Reads what the ending emulator still has to say."""
        deadline = time.monotonic() + _DRAIN_S
        while self._selector.get_map() and time.monotonic() < deadline:
            self._read(0.5)
