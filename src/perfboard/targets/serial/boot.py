# SPDX-License-Identifier: Apache-2.0
"""A board on a serial line that is reset, and watched by its console until it is usable."""

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

from perfboard.analysis.boot.console import Stamps, matches
from perfboard.analysis.boot.kernel_log import find_panic, naming_lines
from perfboard.analysis.boot.record import console_record
from perfboard.instruments.console_log import ConsoleLog
from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.model.run import Boot, Mark
from perfboard.targets.base import Channel
from perfboard.targets.console.hear import last_lines
from perfboard.targets.console.shell import ConsoleShell
from perfboard.targets.serial.line import ATTACH_S

# What the kernel prints last before it has the hardware reset the board (kernel/reboot.c).
_RESTARTS = re.compile(rb"Restarting system[^\n]*\n")
# A bare busybox may have it without a link.
_REBOOT = b"reboot -f || busybox reboot -f\n"
_NOT_RESET = (
    "The shell on the console was told `reboot -f`, and within {:.0f} s the kernel has not said "
    '"Restarting system", or the board nothing after it. Give --reset, a command of this machine '
    "that resets the board."
)
_SYNC_S = 60.0
_RESTART_S = 20.0
_SILENT_S = 60.0
_LONGEST_WRITE_S = 1800.0
# For a program that is told to end.
_ENDS_S = 5.0
_LONGEST_BOOT_S = 600.0
_READ_S = 0.2
_AFTER_PANIC_S = 0.5


class SerialBoard:
    """A board on a line of this machine, by whose clock all of its times are.

    `said` is what the kernel has said of the board and of itself, as `naming_lines` has it.
    """

    def __init__(self, line: Channel, usable: str, reset: Sequence[str]) -> None:
        """`usable` is the regular expression of the line that says that the board is usable.

        `reset` is a program of this machine's, and its arguments, that resets the board and ends
        as it lets go of it; without one, the shell on the console is told to restart the board.
        """
        self._line = line
        self._usable = re.compile(usable)
        self._reset = tuple(reset)
        self.said: dict[str, str] = {}

    def boot(self, artifacts: Path, heard: Callable[[float, str], None]) -> Boot:
        """Resets the board; the record of its boot.

        The console's bytes go to `console.log` in `artifacts`, and when they came to
        `stamps.txt`. `heard` is told the seconds since the reset, and the last whole line. Raises
        TargetError where the board does not come to be usable, and EnvironmentLacksError where
        it cannot be reset.
        """
        came, mark, zero_ns = self._by_program() if self._reset else self._by_shell()
        times = array("q")
        with (
            closing(ConsoleLog(artifacts)) as log,
            (artifacts / "stamps.txt").open("x") as stamps,
        ):
            for now_ns, data in self._portions(came, zero_ns, log):
                times.extend([now_ns - zero_ns] * len(data))
                stamps.write(f"{now_ns - zero_ns} {len(data)}\n")
                sightings = log.add(data)
                for sighting in sightings:
                    if sighting.kind == "line":
                        heard((now_ns - zero_ns) / 1e9, sighting.text)
                if panic := find_panic(sighting.text for sighting in sightings):
                    # What follows the panic's line on the console says why.
                    log.add(self._hear(_AFTER_PANIC_S)[1])
                    raise TargetError("panic", f"The kernel panicked: {panic.text}", log.tail)
                if any(matches(self._usable, sighting.text) for sighting in sightings):
                    break
        console = (artifacts / "console.log").read_bytes()
        self.said |= naming_lines(console.decode(errors="replace").splitlines())
        return console_record(console, Stamps(times), self._usable.pattern, mark)

    def _portions(
        self, came: Sequence[tuple[int, bytes]], zero_ns: int, log: ConsoleLog
    ) -> Iterator[tuple[int, bytes]]:
        """What `came` and what comes, each with the time at which it was read, without end.

        Raises TargetError("hang", ...) where the board is silent, or takes too long.
        """
        yield from came
        last_ns = came[-1][0] if came else zero_ns
        while True:
            now_ns, data = self._hear(_READ_S)
            if data:
                last_ns = now_ns
                yield now_ns, data
            silent_s, whole_s = (now_ns - last_ns) / 1e9, (now_ns - zero_ns) / 1e9
            if silent_s > _SILENT_S or whole_s > _LONGEST_BOOT_S:
                raise TargetError(
                    "hang",
                    f"No line of the console matches {self._usable.pattern!r}: it has been "
                    f"silent for {silent_s:.0f} s, {whole_s:.0f} s since the reset. Is that "
                    "what the board prints when it is usable?",
                    log.tail,
                )

    def _hear(self, timeout_s: float) -> tuple[int, bytes]:
        """What has come, and when it was read."""
        data = self._line.read(timeout_s)
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), data

    def write(self, program: Sequence[str], files: Sequence[Path], arguments: str) -> None:
        """Has a program of this machine put an image on the board: its last words are the files.

        The kernel's `arguments` are in its environment, as PERFBOARD_ARGUMENTS, for a board whose
        bootloader has its own. Raises EnvironmentLacksError where it fails.
        """
        words = (*program, *map(str, files))
        environment = {**os.environ, "PERFBOARD_ARGUMENTS": arguments}
        for _ in self._while_runs("--write", words, _LONGEST_WRITE_S, environment):
            pass  # It is of no boot of ours.

    def _by_program(self) -> tuple[list[tuple[int, bytes]], Mark, int]:
        """What has come since the program of the reset ended, the mark, and when it did."""
        while self._line.read(0):
            pass  # What the board has said already is of no boot of ours.
        began_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        *came, (ended_ns, _) = self._while_runs("--reset", self._reset, _SILENT_S)
        after = [(now_ns, data) for now_ns, data in came if now_ns > ended_ns and data]
        mark = Mark(name="reset", t_ns=0, source="command", precision_ns=ended_ns - began_ns)
        return after, mark, ended_ns

    def _while_runs(
        self,
        option: str,
        words: Sequence[str],
        limit_s: float,
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[tuple[int, bytes]]:
        """What comes while a program of this machine runs, and last when that ended, with nothing.

        It is read meanwhile: the line would have no room for what follows. Raises
        EnvironmentLacksError where the program fails, or takes longer.
        """
        what = f"{option} {shlex.join(words)}"
        with tempfile.TemporaryFile() as said, ThreadPoolExecutor(1) as pool:
            began_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            try:
                program = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    env=environment,
                    start_new_session=True,
                )
            except OSError as error:
                raise EnvironmentLacksError(f"{what}: {error.strerror}") from error

            def wait() -> int:
                program.wait()
                return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)

            ended = pool.submit(wait)
            try:
                while not ended.done():
                    now_ns, data = self._hear(0.05)
                    yield now_ns, data
                    if now_ns - began_ns > limit_s * 1e9:
                        raise EnvironmentLacksError(f"{what}: has not ended for {limit_s:.0f} s")
            except BaseException:
                # A script's own programs would go on writing.
                _end(program, ended)
                raise
            if program.returncode:
                said.seek(0)
                raise EnvironmentLacksError(
                    f"{what}: failed ({program.returncode}). {last_lines(said.read())}"
                )
        yield ended.result(), b""

    def _by_shell(self) -> tuple[list[tuple[int, bytes]], Mark, int]:
        """What has come since the kernel said that it restarts, the mark, and when it did.

        The reset is after that line, and before what the board says first.
        """
        shell = ConsoleShell(self._line)
        shell.attach(ATTACH_S)
        shell.run("sync", timeout_s=_SYNC_S)
        self._line.write(_REBOOT)
        heard, restarted = b"", False
        told_ns = before_ns = now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        while not (restarted and heard):
            if (now_ns - told_ns) / 1e9 > _RESTART_S:
                raise TargetError("hang", _NOT_RESET.format(_RESTART_S), last_lines(heard))
            if not restarted:
                before_ns = now_ns
            now_ns, data = self._hear(_READ_S)
            heard = (heard + data)[-1 << 16 :]
            match = None if restarted else _RESTARTS.search(heard)
            if match:
                restarted, zero_ns, heard = True, now_ns, heard[match.end() :]
        # What came at once with the kernel's line came since what was read before.
        precision_ns = now_ns - zero_ns or now_ns - before_ns
        mark = Mark(name="reset", t_ns=0, source="console", precision_ns=precision_ns)
        return [(now_ns, heard)], mark, zero_ns


def _end(program: "subprocess.Popen[bytes]", ended: "Future[int]") -> None:
    """Ends a program, and what it has started, and waits for it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(program.pid, number)
        with suppress(TimeoutError):
            ended.result(_ENDS_S)
            return
