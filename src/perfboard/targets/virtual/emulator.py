# SPDX-License-Identifier: Apache-2.0
"""One emulator process, driven over QMP, that never outlives Perfboard."""

import contextlib
import errno
import os
import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from perfboard.host.tools import require_tools
from perfboard.model.board.architecture import ARCHITECTURES
from perfboard.model.errors import EnvironmentLacksError, PerfboardError, TargetError

if TYPE_CHECKING:
    from qemu.qmp.legacy import QEMUMonitorProtocol

OLDEST = (7, 2)
_KNOWN = "QEMU 7.2 and 10.0, as Debian 12 and its backports have them"
# The overlays of the flash banks take about this much before anything is written to them.
_ROOM = 1 << 20
_NO_SCOPE = re.compile("scope: this emulator does not have|-plugin: |[Cc]ould not load plugin")
_NO_TIMING = re.compile("timed board|clock that a model")


def emulator_version(program: str) -> str:
    """The version of an emulator, such as "7.2.22".

    Raises EnvironmentLacksError where it is absent, does not say, or is older
    than 7.2, the first with the plugin interface that the scope uses.
    """
    architecture = next((known.name for known in ARCHITECTURES if known.emulator == program), None)
    require_tools(["emulator"], architecture)
    try:
        said = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=20, check=True
        ).stdout
    except (subprocess.SubprocessError, OSError) as error:
        raise EnvironmentLacksError(f"{program} --version fails: {error}") from error
    match = re.search(r"version (\d+)\.(\d+)(?:\.\d+)*", said)
    if match is None:
        raise EnvironmentLacksError(f"{program} --version does not say its version: {said[:80]!r}")
    version = match[0].removeprefix("version ")
    if (int(match[1]), int(match[2])) < OLDEST:
        raise EnvironmentLacksError(
            f"{program} is version {version}; virtual boards need 7.2 or newer, as Debian 12 "
            f"has it. The one found is {shutil.which(program)}."
        )
    return version


class Emulator:
    """Starts stopped; `connect`, then `resume` lets the guest run; leaving the context ends it."""

    def __init__(
        self, command: Sequence[str], descriptors: Sequence[int], log: Path, temporary: Path
    ) -> None:
        """`log` takes what the emulator says; it may write in `temporary` alone."""
        self._command = list(command)
        self._descriptors = tuple(descriptors)
        self._log = log
        self._temporary = temporary
        self._process: subprocess.Popen[bytes] | None = None
        self._monitor: socket.socket | None = None
        self._qmp: QEMUMonitorProtocol | None = None

    def __enter__(self) -> "Emulator":
        self._monitor, theirs = socket.socketpair()
        command = [
            # The kernel ends the emulator with us, whatever ends us.
            *("setpriv", "--pdeathsig", "KILL"),
            *self._command,
            *("-chardev", f"socket,id=monitor,fd={theirs.fileno()}"),
            *("-mon", "chardev=monitor,mode=control", "-S"),
        ]
        with self._log.open("xb") as log, theirs:
            # What was run is part of the record.
            log.write(f"{shlex.join(command)}\n".encode())
            log.flush()
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[*self._descriptors, theirs.fileno()],
                # ^C in the terminal is ours to handle: it must not reach the emulator.
                start_new_session=True,
                # What it writes without being asked must not be the user's.
                cwd=self._temporary,
                env={**os.environ, "TMPDIR": str(self._temporary)},
            )
        return self

    def connect(self) -> None:
        """Waits until the emulator has set itself up. Raises TargetError where it is gone."""
        from qemu.qmp.legacy import QEMUMonitorProtocol

        assert self._monitor is not None  # noqa: S101 - set on entry
        self._qmp = qmp = QEMUMonitorProtocol(self._monitor)
        qmp.settimeout(20)
        self._answered(qmp.connect)

    def resume(self) -> None:
        """Lets the guest run from reset, once connected. Raises as `connect`."""
        assert self._qmp is not None  # noqa: S101 - connected before
        qmp = self._qmp
        self._answered(lambda: qmp.cmd("cont"))

    def _answered(self, ask: Callable[[], object]) -> None:
        from qemu.qmp import QMPError

        try:
            ask()
        except (QMPError, OSError, TimeoutError, EOFError) as error:
            raise self.death() or TargetError(
                "died", f"The emulator does not answer on its monitor: {error}"
            ) from None

    def quit(self) -> None:
        """Asks the emulator to end; what its plugins still write must be read meanwhile."""
        if self._qmp is not None:
            with contextlib.suppress(Exception):
                self._qmp.cmd("quit")

    def save_memory(self, address: int, size: int, path: Path) -> None:
        """Writes a stretch of the guest's memory to a file.

        Raises TargetError where the emulator does not do so.
        """
        from qemu.qmp import QMPError

        assert self._qmp is not None  # noqa: S101 - the guest was let run
        try:
            self._qmp.cmd("pmemsave", val=address, size=size, filename=str(path))
        except (QMPError, OSError, TimeoutError, EOFError) as error:
            raise self.death() or TargetError(
                "died", f"The emulator does not give the board's memory: {error}"
            ) from None

    def death(self) -> PerfboardError | None:
        """The error that says how the emulator died, or None while it runs."""
        assert self._process is not None  # noqa: S101 - set on entry
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return None
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        _, _, said = self._log.read_text(errors="replace").partition("\n")
        said = said.strip()[-2000:]
        if os.strerror(errno.ENOSPC) in said or shutil.disk_usage(self._temporary).free < _ROOM:
            return EnvironmentLacksError(
                f"the disk is full: the emulator {how} for want of room in {self._temporary}.\n"
                f"It said: {said or 'nothing'}\nMake room there and run it again; earlier runs "
                "are unharmed."
            )
        if _NO_TIMING.search(said):
            return EnvironmentLacksError(
                f"{self._command[0]} cannot run a timed board. It said: {said}\n"
                "Run it as counted instead, with --set detail=counted; or have another QEMU first "
                f"in PATH: the timing model is made for {_KNOWN}."
            )
        if _NO_SCOPE.search(said):
            return EnvironmentLacksError(
                f"{self._command[0]} cannot load the scope. It said: {said}\n"
                f"The scope is made for {_KNOWN}; have one of them first in PATH."
            )
        return TargetError(
            "died",
            f"The emulator {how} while the board was running.\nIt said: {said or 'nothing'}",
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=0.5 if kind is None else 0)
            self._process.kill()
            self._process.wait()
        if self._qmp is not None:
            with contextlib.suppress(Exception):
                self._qmp.close()
        if self._monitor is not None:
            self._monitor.close()
