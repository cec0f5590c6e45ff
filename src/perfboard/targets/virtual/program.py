# SPDX-License-Identifier: Apache-2.0
"""A virtual board that runs one command: it is booted, awaited, and its results are read."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from threading import Event

from perfboard.host.files.scratch import scratch_folder
from perfboard.images.program.base import (
    ProgramJob,
    TrialBase,
    boot_arguments,
    check_room,
    lay_out,
    write_job,
)
from perfboard.images.variant import Variant
from perfboard.instruments.scope import Scope, WatchedMark
from perfboard.model.errors import Cancelled, TargetError
from perfboard.model.timing.lacks import Lacks
from perfboard.targets.virtual.target import Emulation
from perfboard.targets.virtual.watch import LIMITS_PER_BOOT, BoardWatch

MARK = "try"
# Linux 6.1, kernel/futex/waitwake.c: a thread sleeps from the first function to the second, by the
# same struct futex_q.
_FUTEX = {"futex_wait_queue": "asleep=1", "futex_unqueue": "awake=0"}
# Begun, ended, and the results are there.
MARKS = 3
_PAGE = 4096
# The guest ends a command that is late; one whose kernel hangs is ended here.
_GRACE_NS = 10 * 10**9
# The host's time for an interrupted command to end, and for its output to be copied.
_ENDING_S = 30.0
_HEAD = re.compile(rb"perfboard-run 1\n((?:[a-z_]+ \d{1,18}\n)+)\0*")


@dataclass(frozen=True)
class ProgramResults:
    """The command's results; times in s as the guest's kernel gives them."""

    exit_code: int | None
    signal: int | None
    late: bool
    interrupted: bool
    cut: bool
    oom_kills: int
    user_s: float
    system_s: float
    resident_bytes: int
    stdout: bytes
    stderr: bytes


class TrialTarget(Emulation):
    """Boots one command on one virtual board."""

    def __init__(
        self,
        variant: Variant,
        base: TrialBase,
        job: ProgramJob,
        answer: Callable[[str], str] | None = None,
        *,
        profiled: bool = False,
        beyond: bool = False,
    ) -> None:
        """`answer` answers what the board asks at its far end (native/far_end/stream.h).

        `profiled` has a timed board's instruments tell the time of each block of code, in the
        file profile.jsonl, which is tens of megabytes of a large program. `beyond` has them tell
        which code ran what older parts lack in place of that, in the file BEYOND.
        """
        super().__init__(variant)
        self.answer = answer
        self._base = base
        self._job = job
        self._profiled = (profiled or beyond) and self.timed
        self._beyond = beyond

    @property
    def symbols(self) -> Mapping[str, int]:
        return self._base.symbols.addresses

    @property
    def lacks(self) -> Lacks | None:
        """See `Emulation.lacks`: there are none if the programs are of an older port."""
        return None if self._job.architecture else super().lacks

    def try_out(
        self, plugin: Path, artifacts: Path, notify: Callable[[int, int], None], cancelled: Event
    ) -> ProgramResults:
        """Boots, runs the command, and returns its results.

        The instruments' files go to the folder `artifacts`. `notify` gets the board's
        clock in ns now and then, and its value when the command began, or 0. Once another thread
        sets `cancelled`, the board ends the command, and the results are those so far. Raises
        TargetError if the board fails, and Cancelled if there is no command to end, or the board
        does not end it.
        """
        marks = [WatchedMark(MARK, self._base.mark, every=True, profile=self._profiled)]
        if all(name in self.symbols for name in _FUTEX):
            marks += [
                WatchedMark(name, self.symbols[name], every=True, use=use)
                for name, use in _FUTEX.items()
            ]
        if self._job.screen:
            called, idle = self._base.screen
            marks.append(WatchedMark("screen", called, every=True, words=3, use="screen"))
            marks.append(WatchedMark("idle", idle, every=True, use="idle"))
        scope = self.scope(
            plugin,
            marks,
            beats=True,
            usage=self._base.counts,
            screen=self._job.screen,
            answer=self.answer,
            pages=self._job.pages,
            authority=self._job.authority,
            beyond=self._beyond,
        )
        with scratch_folder() as folder:
            image = folder / "job.squashfs"
            write_job(self._job, self.board, image)
            root = self._base.root.image
            sizes = root.stat().st_size, image.stat().st_size
            layout = lay_out(self.board, *sizes, self._job.from_disk)
            size = sum(sizes) if layout.root else sizes[1]
            check_room(self.board, "the packages and the pushed files, packed,", size)
            devices = self._base.flash_devices
            holds = layout.job <= layout.disk
            command = [
                *self.machine(layout.end - layout.ram),
                *("-kernel", str(self._base.kernel)),
                *("-append", boot_arguments(self.board, layout, devices, self.timed)),
                *(("-dtb", str(self._base.tree)) if self._base.tree else ()),
                *_loaded(root, layout.base if layout.root else layout.disk_base),
                *_loaded(image, layout.base + layout.root),
                # A program may read its files at the disk's own speed.
                *(_loaded(image, layout.disk_base) if layout.root and holds else ()),
            ]
            with self.running(command, [scope], artifacts) as watch:
                limits = self.board.boot.limit_s, self._job.limit_s
                await_command(watch, scope, *limits, notify, cancelled)
                file = artifacts / "results"
                watch.emulator.save_memory(layout.results_base, layout.results, file)
                watch.end()
        data = file.read_bytes()
        file.unlink()
        return read_results(data)


def await_command(
    watch: BoardWatch,
    scope: Scope,
    limit_s: float,
    command_s: float,
    notify: Callable[[int, int], None],
    cancelled: Event,
) -> None:
    """Returns when the command has ended; for `notify` and `cancelled` see `TrialTarget.try_out`.

    The board may stand still for `limit_s` of host time, the command take `command_s` of the
    board's. Raises TargetError where one of them takes longer.
    """
    last, now_ns, give_up = time.monotonic(), -1, inf
    longest_s = LIMITS_PER_BOOT * limit_s
    deadline = last + longest_s
    while len(scope.marks_ns) < MARKS:
        now = time.monotonic()
        if cancelled.is_set():
            if not scope.marks_ns or now > give_up:
                raise Cancelled
            if give_up == inf:
                watch.write(b"\n")
                give_up = now + _ENDING_S
        data = watch.read(0.2)
        now = time.monotonic()
        if data or scope.now_ns != now_ns:
            last, now_ns = now, scope.now_ns
        began_ns = scope.marks_ns[0] if scope.marks_ns else 0
        notify(now_ns, began_ns)
        if now - last > limit_s:
            raise TargetError(
                "hang",
                f"The board has said nothing for {now - last:.0f} s of host time, and its "
                "clock stands still.",
            )
        if not began_ns and now > deadline:
            raise TargetError(
                "hang",
                f"The board has not begun the command within {longest_s:.0f} s of host time. "
                "If it is only slow, raise boot.limit_s in the board file.",
            )
        # The clock of a board that is done runs on while this machine is busy.
        done = len(scope.marks_ns) == MARKS
        if began_ns and not done and now_ns - began_ns > command_s * 1e9 + _GRACE_NS:
            raise TargetError(
                "hang",
                f"The command has not ended {(now_ns - began_ns) / 1e9:.0f} s of the board's time "
                "after it began, and the board does not end it at its time limit.",
            )


def _loaded(file: Path, address: int) -> list[str]:
    path = str(file).replace(",", ",,")
    return ["-device", f"loader,file={path},addr={address:#x},force-raw=on"]


def read_results(data: bytes) -> ProgramResults:
    """The results that native/probe/run/run.c wrote. Raises TargetError if they are not whole."""
    match = _HEAD.match(data[:_PAGE])
    if match is None:
        raise TargetError("lost", "The board's results are not readable.")
    found = {
        name: int(value)
        for name, value in (line.split() for line in match[1].decode().splitlines())
    }
    try:
        out = _PAGE + found["stdout"]
        end = out + found["stderr"]
        if end > len(data):
            raise TargetError("lost", "The board's results are longer than the room for them.")
        killed = found["signal"]
        return ProgramResults(
            exit_code=None if killed else found["exit"],
            signal=killed or None,
            late=bool(found["late"]),
            interrupted=bool(found["interrupted"]),
            cut=bool(found["full"]),
            oom_kills=found["oom_kills"],
            user_s=found["user_us"] / 1e6,
            system_s=found["system_us"] / 1e6,
            resident_bytes=found["resident_kb"] * 1024,
            stdout=data[_PAGE:out],
            stderr=data[out:end],
        )
    except KeyError as error:
        raise TargetError("lost", f"The board's results lack {error}.") from None
