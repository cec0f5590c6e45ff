# SPDX-License-Identifier: Apache-2.0
"""The probe on a target: found, pushed, started, asked, and removed again."""

import math
import shlex
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from perfboard.analysis.statistics.summary import REPEATS
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.binaries.probe_build import ARCHITECTURES
from perfboard.model.errors import PerfboardError, TargetError
from perfboard.model.progress import Progress
from perfboard.probes.exchange import Exchange, ProbeAnswer
from perfboard.probes.records import ProbeEntry, read_probes
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

    def probes(self) -> tuple[ProbeEntry, ...]:
        """The probes that the binary has."""

    def run(self, probe: str, arguments: Sequence[str], limit_s: float) -> ProbeAnswer:
        """Runs a probe as a fresh process, killed after `limit_s` of the target's time."""


@dataclass
class ProbeSession:
    """A probe that was started on the target."""

    target: Target
    machine: str
    arch: str
    exchange: Exchange

    def probes(self) -> tuple[ProbeEntry, ...]:
        """The probes that the binary has."""
        return read_probes(self.run("list", (), _LIST_LIMIT_S).lines)

    def run(self, probe: str, arguments: Sequence[str], limit_s: float) -> ProbeAnswer:
        """Runs a probe as a fresh process, killed after `limit_s` of the target's time.

        Raises TargetError: died, lost, hang, transfer, garbage.
        """
        request = " ".join(("run", str(math.ceil(limit_s)), probe, *arguments))
        try:
            return self.exchange.run(request, limit_s)
        except TargetError as error:
            if error.kind != "lost" or not self._still_there():
                raise
            raise TargetError(
                "died",
                f"The probe's server ended on {self.target.name} while {probe} ran; the target "
                "still answers. Was it killed, perhaps for lack of memory?",
                self.exchange.noise,
            ) from error

    def _still_there(self) -> bool:
        with suppress(PerfboardError):
            return self.target.shell.run("echo here", timeout_s=10).status == 0
        return False


@contextmanager
def probe_session(
    target: Target,
    progress: Progress,
    find: Callable[[str, Progress], Path] = find_binary,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[ProbeSession]:
    """The probe, started on `target`. Leaving the context removes all from the target.

    `find` gives an architecture's binary. Raises EnvironmentLacksError without a binary for the
    machine, else TargetError.
    """
    machine, arch = machine_and_arch(target)
    binary = find(arch, progress).read_bytes()
    left = ExitStack()
    for _ in range(_PUSHES):
        session = _start(target, machine, arch, binary, progress, clock, left)
        if session is not None:
            break
    else:
        raise TargetError(
            "transfer",
            f"The probe arrives damaged on {target.name}, {_PUSHES} times in a row.\n"
            "Check the line to it, and that its disk and memory are sound.",
        )
    try:
        yield session
    finally:
        session.exchange.bye()
        # The error that ended the measuring matters more than leftover files.
        with suppress(PerfboardError):
            left.close()


def machine_and_arch(target: Target) -> tuple[str, str]:
    """The target's name for its machine, and the architecture whose probe runs on it."""
    machine = _machine_of(target)
    return machine, target.probe or _fitting(target, machine)


def _machine_of(target: Target) -> str:
    found = target.shell.run("uname -m")
    words = found.output.split()
    if found.status or not words:
        raise TargetError(
            "garbage",
            f"{target.name} does not say what machine it is: `uname -m` ended with "
            f"{found.status} and printed {found.output[-200:]!r} {found.errors[-200:]!r}.",
        )
    machine = words[-1]
    # Both byte orders of MIPS call themselves the same.
    if machine in ("mips", "mips64") and target.shell.run(_IS_LITTLE).status == 0:
        return f"{machine}el"
    return machine


def _fitting(target: Target, machine: str) -> str:
    """The architecture whose binary runs on the target."""
    arch = architecture_of(machine)
    other = ARCHITECTURES[arch].without_neon
    return other if other and target.shell.run(_LACKS_NEON).status == 0 else arch


def _start(
    target: Target,
    machine: str,
    arch: str,
    binary: bytes,
    progress: Progress,
    clock: Callable[[], float],
    left: ExitStack,
) -> ProbeSession | None:
    """Pushes and starts the probe, removed by `left`; None where it arrived damaged."""
    shell = target.shell
    with ExitStack() as stack:
        folder = stack.enter_context(working_folder(shell))
        shell.push(binary, f"{folder}/{NAME}", progress)
        channel = stack.enter_context(closing(shell.start(_script(folder, target.idle_s))))
        virtual = target.evidence in REPEATS
        exchange = Exchange(channel, _VIRTUAL_PATIENCE if virtual else 1.0, clock)
        try:
            hello = exchange.hello()
        except TargetError as error:
            raise TargetError(
                error.kind,
                f"The probe on {target.name} ({machine}) does not greet. {error.args[0]}",
                exchange.noise,
            ) from error
        if hello.crc != zlib.crc32(binary):
            exchange.bye()
            return None
        left.enter_context(stack.pop_all())
    return ProbeSession(target, machine, arch, exchange)


def _script(folder: str, idle_s: float | None) -> str:
    """Serves, and removes the folder even when the connection is lost meanwhile."""
    place = shlex.quote(folder)
    serve = f"./{NAME} serve" + (f" --idle {idle_s:.0f}" if idle_s else "")
    # A server that was killed leaves a console's echo off.
    echo = "stty echo 2>/dev/null"
    return f"trap '' HUP; cd {place} && {serve}; {echo}; cd /; rm -rf {place}"
