# SPDX-License-Identifier: Apache-2.0
"""A board on a serial line that is reset, and watched by instruments until it is usable."""

import os
import re
import select
import shlex
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Protocol

from perfboard.analysis.boot.reading.kernel_log import naming_lines
from perfboard.analysis.boot.record import console_record, unfinished_calls
from perfboard.host.files.scratch import temporary_folder
from perfboard.host.programs.children import guarded
from perfboard.host.programs.environment import environment_of_programs
from perfboard.instruments.base import Instrument, InstrumentFindings, host_ns
from perfboard.instruments.serial_console import SerialConsole
from perfboard.instruments.together import Together, prepared
from perfboard.model.errors import (
    Cancelled,
    EnvironmentLacksError,
    TargetError,
    defects,
)
from perfboard.model.results.boot import Boot, Mark
from perfboard.targets.console.hear import last_lines
from perfboard.targets.console.shell import ConsoleShell
from perfboard.targets.serial.line import ATTACH_S, SerialLine
from perfboard.targets.serial.watch import BOOT_S, SILENT_S, LineWatch

# The kernel prints this last, before it has the hardware reset the board (kernel/reboot.c).
_RESTARTS = b"Restarting system"
# A bare busybox may have it without a link.
_REBOOT = b"reboot -f || busybox reboot -f\n"
_NOT_RESET = (
    "The shell on the console got `reboot -f`, and within {:g} s the kernel did not print "
    '"Restarting system", or the board nothing after it. Give more than --silence {:g} to a slow '
    "board, or --reset, a command of this machine that resets the board."
)
_SYNC_S = 60.0
# For a program to end after a signal.
_ENDS_S = 5.0
_READ_S = 0.2
_PORTION = 1 << 16
_TAIL = 1 << 14
_NAMED_CALLS = 5


class Switch(Protocol):
    """The power of a board, or its reset line. Both may raise EnvironmentLacksError."""

    def off(self) -> None:
        """Switches the board off, and waits until it is without power."""

    def on(self) -> None:
        """Lets the board start; returns when it has."""


class SerialBoard:
    """A board on a line of this machine, by whose clock all of its times are.

    `facts` are what the kernel prints of the board and of itself, as `naming_lines` has it.
    """

    def __init__(
        self,
        line: SerialLine,
        usable: str,
        reset: Sequence[str],
        *,
        switch: Switch | None = None,
        silent_s: float = SILENT_S,
        boot_s: float = BOOT_S,
        write_s: float = 1800.0,
    ) -> None:
        """`usable` is the regular expression of the line that says that the board is usable.

        `reset` is a command of this machine that resets the board and ends when it releases it.
        Without one, the `switch` does; without both, the shell on the console restarts the board.
        The board may be silent for `silent_s`, and any reset may take as long; it must be usable
        within `boot_s`. A `write` may run for `write_s`.
        """
        self._line = line
        self._usable = re.compile(usable)
        self._reset = tuple(reset)
        self._switch = switch
        self._silent_s = silent_s
        self._boot_s = boot_s
        self._write_s = write_s
        self.facts: dict[str, str] = {}

    def console(self) -> Instrument:
        """The instrument that reads the line in one boot."""
        return SerialConsole(self._line)

    def boot(
        self,
        instruments: Sequence[Instrument],
        artifacts: Path,
        seen: Callable[[str], None],
        cancelled: Event,
    ) -> Boot:
        """See `targets.base.Bootable`. Raises EnvironmentLacksError if the reset fails."""
        with prepared(instruments, artifacts) as together:
            reset = self._let_go(together)
            try:
                self._await_usable(together, seen, cancelled)
            except TargetError as error:
                raise _with_console(error, _console_of(instruments)) from error
        found = _console_of(instruments)
        others = (each.findings() for each in instruments)
        marks = [mark for each in others if each.clock == "host" for mark in each.marks]
        with defects("making the record of a boot from its console"):
            return console_record(_portions(found), found.stamps, self._usable, [reset, *marks])

    def _let_go(self, together: Together) -> Mark:
        """Resets the board by the best way there is; the mark."""
        if self._reset:
            return self._by_program(together)
        if self._switch is not None:
            return self._by_switch(together, self._switch)
        return self._by_shell(together)

    def _await_usable(
        self, together: Together, seen: Callable[[str], None], cancelled: Event
    ) -> None:
        """Returns when a line says that the board is usable.

        Raises TargetError if the kernel panics, or the board is silent or takes too long.
        """
        began_ns = host_ns()
        watch = LineWatch(self._usable, self._silent_s, self._boot_s)
        while together.open:
            if cancelled.is_set():
                raise Cancelled
            sightings = together.read(_READ_S)
            lines = [each.text or each.name for each in sightings if each.kind != "prompt"]
            self.facts |= naming_lines(lines)
            for line in lines:
                seen(line)
            now_ns = host_ns() - began_ns
            if watch.is_usable(sightings, now_ns):
                return
            watch.check(now_ns)
        raise TargetError("lost", "No instrument sees the board any more.")

    def write(self, program: Sequence[str], files: Sequence[Path], arguments: str) -> None:
        """Runs the user's write command; the image's files are its last arguments.

        The kernel's `arguments` are in its environment, as PERFBOARD_ARGUMENTS, for a board whose
        bootloader has its own. Raises EnvironmentLacksError if it fails.
        """
        words = (*program, *map(str, files))
        environment = {**environment_of_programs(), "PERFBOARD_ARGUMENTS": arguments}
        self._run("--write", words, self._write_s, environment)

    def _by_program(self, together: Together) -> Mark:
        """Resets the board by a program, at whose end the instruments start; the mark."""
        self._forget_output()
        began_ns = host_ns()
        self._run("--reset", self._reset, self._silent_s)
        together.start()
        return Mark(name="reset", t_ns=0, source="command", precision_ns=host_ns() - began_ns)

    def _by_switch(self, together: Together, switch: Switch) -> Mark:
        """Switches the board off, and on while the instruments run; the mark."""
        switch.off()
        self._forget_output()
        together.start()
        began_ns = host_ns()
        switch.on()
        return Mark(name="reset", t_ns=0, source="switch", precision_ns=host_ns() - began_ns)

    def _forget_output(self) -> None:
        """Reads earlier output, which does not belong to the boot."""
        while self._line.read(0):
            pass

    def _run(
        self,
        option: str,
        words: Sequence[str],
        limit_s: float,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Runs a program of this machine, and drops what comes from the board meanwhile.

        The line must be read meanwhile, or it has no room for what follows. Raises
        EnvironmentLacksError if the program fails, or takes longer.
        """
        what = f"{option} {shlex.join(words)}"
        with tempfile.TemporaryFile(dir=temporary_folder()) as output:
            with ExitStack() as stack:
                try:
                    program = stack.enter_context(
                        guarded(
                            words,
                            _ENDS_S,
                            stdin=subprocess.DEVNULL,
                            stdout=output,
                            stderr=output,
                            env=environment,
                        )
                    )
                except OSError as error:
                    raise EnvironmentLacksError(f"{what}: {error.strerror}") from error
                deadline = time.monotonic() + limit_s
                ended = os.pidfd_open(program.pid)
                stack.callback(os.close, ended)
                awaited = (ended, self._line.fileno())
                while ended not in select.select(awaited, (), (), 0.5)[0]:
                    self._line.read(0)
                    if time.monotonic() > deadline:
                        raise EnvironmentLacksError(f"{what}: has not ended for {limit_s:.0f} s")
            if program.wait():
                output.seek(0)
                raise EnvironmentLacksError(
                    f"{what}: failed ({program.returncode}). {last_lines(output.read())}"
                )

    def _by_shell(self, together: Together) -> Mark:
        """Has the shell restart the board; the instruments start at the kernel's last line.

        The reset is after that line, and before what the board says first.
        """
        shell = ConsoleShell(self._line)
        shell.attach(ATTACH_S)
        shell.run("sync", timeout_s=_SYNC_S)
        self._line.write(_REBOOT)
        deadline = time.monotonic() + self._silent_s
        output, before_ns = bytearray(), host_ns()
        while not (output.endswith(b"\n") and _RESTARTS in output[output.rfind(b"\n", 0, -1) :]):
            if not self._line.ready(0):
                before_ns = host_ns()
            # The instruments read all that follows the line.
            output += self._line.read(_READ_S, 1)
            if time.monotonic() > deadline:
                raise self._not_reset(output)
        together.start()
        zero_ns = host_ns()
        if self._line.ready(0):
            # The reset was after the last moment without anything to read.
            precision_ns = zero_ns - before_ns
        elif self._line.ready(max(0.0, deadline - time.monotonic())):
            precision_ns = host_ns() - zero_ns
        else:
            raise self._not_reset(output)
        return Mark(name="reset", t_ns=0, source="console", precision_ns=precision_ns)

    def _not_reset(self, output: bytearray) -> TargetError:
        words = _NOT_RESET.format(self._silent_s, self._silent_s)
        return TargetError("hang", words, last_lines(bytes(output)))


def _console_of(instruments: Sequence[Instrument]) -> InstrumentFindings:
    """The findings of the first instrument that has read the console."""
    found = (each.findings() for each in instruments)
    return next((each for each in found if each.console), InstrumentFindings())


def _portions(found: InstrumentFindings) -> Iterator[bytes]:
    """The bytes of the console, in portions that take little memory."""
    if found.console is not None:
        with found.console.open("rb") as file:
            while portion := file.read(_PORTION):
                yield portion


def _with_console(error: TargetError, found: InstrumentFindings) -> TargetError:
    """The error with the last lines of the console, and the calls that a board hangs in."""
    message = str(error)
    if error.kind == "hang":
        with defects("reading the console of a boot that hangs"):
            calls = unfinished_calls(_portions(found), found.stamps)
        if calls:
            message += (
                f" The kernel's calls that never returned: {', '.join(calls[-_NAMED_CALLS:])}."
            )
    tail = b"".join(deque(_portions(found), maxlen=2))[-_TAIL:]
    return TargetError(error.kind, message, last_lines(tail))
