# SPDX-License-Identifier: Apache-2.0
"""The probe on a target: found, pushed, started, asked, and removed again."""

import math
import shlex
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Protocol

from perfboard.analysis.statistics.summary import REPEATS
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.model.errors import PerfboardError, TargetError
from perfboard.model.progress import Progress
from perfboard.probes.exchange import Answer, Exchange
from perfboard.probes.records import Applet, read_applets
from perfboard.targets.base import Target
from perfboard.targets.folder import working_folder

NAME = "perfboard-probe"
# The byte of an ELF file that says its byte order is 1 where that is little-endian.
_IS_LITTLE = r"""test "$(dd if=/bin/sh bs=1 skip=5 count=1 2>/dev/null)" = "$(printf '\001')" """
# With what the shell has itself, and cat: a small board may have no grep.
_LACKS_NEON = (
    'test -r /proc/cpuinfo && case "$(cat /proc/cpuinfo)" in *neon*) false ;; *) true ;; esac'
)
_PUSHES = 3
_LIST_LIMIT_S = 20
# A virtual board's second may take this many of the host's.
_VIRTUAL_PATIENCE = 40.0


class Session(Protocol):
    """The probe on a target, whose machine and architecture it names."""

    machine: str
    arch: str

    def applets(self) -> tuple[Applet, ...]:
        """The probes that the binary has."""

    def run(self, applet: str, arguments: Sequence[str], limit_s: float) -> Answer:
        """Runs a probe as a fresh process, killed after `limit_s` of the target's time."""


class ProbeSession:
    """A context in which probes run on `target`. Leaving it removes all from the target."""

    def __init__(
        self,
        target: Target,
        progress: Progress,
        find: Callable[[str, Progress], Path] = find_binary,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is done before the context is entered. `find` gives an architecture's binary."""
        self._target = target
        self._progress = progress
        self._find = find
        self._clock = clock
        self._stack = ExitStack()
        self._exchange: Exchange | None = None
        self.machine = ""
        self.arch = ""

    def __enter__(self) -> "ProbeSession":
        """Raises EnvironmentLacksError without a binary for the machine, else TargetError."""
        self.machine = self._ask_machine()
        self.arch = self._target.probe or self._fitting()
        binary = self._find(self.arch, self._progress).read_bytes()
        for _ in range(_PUSHES):
            if self._start(binary):
                return self
        raise TargetError(
            "transfer",
            f"The probe arrives damaged on {self._target.name}, {_PUSHES} times in a row.\n"
            "Check the line to it, and that its disk and memory are sound.",
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._exchange is not None:
            self._exchange.bye()
        # The error that ended the measuring matters more than leftover files.
        with suppress(PerfboardError):
            self._stack.close()

    def applets(self) -> tuple[Applet, ...]:
        """The probes that the binary has."""
        return read_applets(self.run("list", (), _LIST_LIMIT_S).lines)

    def run(self, applet: str, arguments: Sequence[str], limit_s: float) -> Answer:
        """Runs a probe as a fresh process, killed after `limit_s` of the target's time.

        Raises TargetError: died, lost, hang, transfer, garbage.
        """
        assert self._exchange is not None  # noqa: S101 - set on entry
        request = " ".join(("run", str(math.ceil(limit_s)), applet, *arguments))
        try:
            return self._exchange.run(request, limit_s)
        except TargetError as error:
            if error.kind != "lost" or not self._still_there():
                raise
            raise TargetError(
                "died",
                f"The probe's server ended on {self._target.name} while {applet} ran; the target "
                "still answers. Was it killed, perhaps for want of memory?",
                self._exchange.noise,
            ) from error

    def _ask_machine(self) -> str:
        found = self._target.shell.run("uname -m")
        words = found.output.split()
        if found.status or not words:
            raise TargetError(
                "garbage",
                f"{self._target.name} does not say what machine it is: `uname -m` ended with "
                f"{found.status} and printed {found.output[-200:]!r} {found.errors[-200:]!r}.",
            )
        machine = words[-1]
        # Both byte orders of MIPS call themselves the same.
        if machine in ("mips", "mips64") and self._target.shell.run(_IS_LITTLE).status == 0:
            return f"{machine}el"
        return machine

    def _fitting(self) -> str:
        """The architecture whose binary runs on the target."""
        arch = architecture_of(self.machine)
        # The compiler's own library for ARMv7 needs NEON, which some parts lack.
        if arch == "armv7" and self._target.shell.run(_LACKS_NEON).status == 0:
            return "armv5te"
        return arch

    def _start(self, binary: bytes) -> bool:
        """Pushes and starts the probe; False where it arrived damaged."""
        shell = self._target.shell
        with ExitStack() as stack:
            folder = stack.enter_context(working_folder(shell))
            shell.push(binary, f"{folder}/{NAME}", self._progress)
            channel = stack.enter_context(closing(shell.start(self._script(folder))))
            virtual = self._target.evidence in REPEATS
            exchange = Exchange(channel, _VIRTUAL_PATIENCE if virtual else 1.0, self._clock)
            try:
                hello = exchange.hello()
            except TargetError as error:
                raise TargetError(
                    error.kind,
                    f"The probe on {self._target.name} ({self.machine}) does not greet. "
                    f"{error.args[0]}",
                    exchange.noise,
                ) from error
            if hello.crc != zlib.crc32(binary):
                exchange.bye()
                return False
            self._exchange, self._stack = exchange, stack.pop_all()
        return True

    def _script(self, folder: str) -> str:
        """Serves, and removes the folder even when the connection is lost meanwhile."""
        place = shlex.quote(folder)
        idle = self._target.idle_s
        serve = f"./{NAME} serve" + (f" --idle {idle:.0f}" if idle else "")
        # A server that was killed leaves a console's echo off.
        echo = "stty echo 2>/dev/null"
        return f"trap '' HUP; cd {place} && {serve}; {echo}; cd /; rm -rf {place}"

    def _still_there(self) -> bool:
        with suppress(PerfboardError):
            return self._target.shell.run("echo here", timeout_s=10).status == 0
        return False
