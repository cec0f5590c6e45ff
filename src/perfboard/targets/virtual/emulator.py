# SPDX-License-Identifier: Apache-2.0
"""One emulator process, driven over QMP, that never outlives Perfboard."""

import errno
import os
import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from perfboard.host.programs.sandbox import sandbox
from perfboard.host.programs.tools import require_tools
from perfboard.model.board.architecture import ARCHITECTURES
from perfboard.model.errors import EnvironmentLacksError, PerfboardError, TargetError
from perfboard.targets.virtual.monitor import Monitor

OLDEST = (7, 2)
_KNOWN = "QEMU 7.2 and 10.0, as Debian 12 and its backports have them"
# The overlays of the flash banks take about this much before anything is written to them.
_ROOM = 1 << 20
_NO_SCOPE = re.compile("scope: this emulator does not have|-plugin: |[Cc]ould not load plugin")
_NO_TIMING = re.compile("timed board|clock that a model")


def emulator_version(program: str) -> str:
    """The version of an emulator, such as "7.2.22", and whether it lacks a sandbox.

    Raises EnvironmentLacksError if it is absent, prints none, or is older
    than 7.2, the first with the plugin interface that the scope uses.
    """
    architecture = next((known.name for known in ARCHITECTURES if known.emulator == program), None)
    require_tools(["emulator"], architecture)
    try:
        output = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=20, check=True
        ).stdout
    except (subprocess.SubprocessError, OSError) as error:
        raise EnvironmentLacksError(f"{program} --version fails: {error}") from error
    match = re.search(r"version (\d+)\.(\d+)(?:\.\d+)*", output)
    if match is None:
        raise EnvironmentLacksError(
            f"{program} --version does not say its version: {output[:80]!r}"
        )
    version = match[0].removeprefix("version ")
    if (int(match[1]), int(match[2])) < OLDEST:
        raise EnvironmentLacksError(
            f"{program} is version {version}; virtual boards need 7.2 or newer, as Debian 12 "
            f"has it. The one found is {shutil.which(program)}."
        )
    return version if sandbox(program) else f"{version}, without a sandbox"


@contextmanager
def started(
    command: Sequence[str], descriptors: Sequence[int], folder: Path
) -> Iterator["Emulator"]:
    """An emulator whose guest stands still, ended with the context.

    It may write in `folder` alone, where `emulator.log` takes what it says.
    """
    ours, theirs = socket.socketpair()
    whole = [
        # The kernel ends the emulator with us, whatever ends us.
        *("setpriv", "--pdeathsig", "KILL"),
        *command,
        *sandbox(command[0]),
        *("-chardev", f"socket,id=monitor,fd={theirs.fileno()}"),
        *("-mon", "chardev=monitor,mode=control", "-S"),
    ]
    log = folder / "emulator.log"
    with closing(Monitor(ours)) as monitor:
        with log.open("xb") as output, theirs:
            # The command is part of the record.
            output.write(f"{shlex.join(whole)}\n".encode())
            output.flush()
            process = subprocess.Popen(
                whole,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=[*descriptors, theirs.fileno()],
                # ^C in the terminal is ours to handle: it must not reach the emulator.
                start_new_session=True,
                # Files that it writes unasked must not lie among the user's.
                cwd=folder,
                env={**os.environ, "TMPDIR": str(folder)},
            )
        try:
            yield Emulator(command[0], process, monitor, log)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
        finally:
            process.kill()
            process.wait()


class Emulator:
    """A running emulator: `connect`, then `resume` lets the guest run."""

    def __init__(
        self,
        program: str,
        process: "subprocess.Popen[bytes]",
        monitor: Monitor,
        log: Path,
    ) -> None:
        """`log` has what the emulator says; `started` makes one."""
        self._program = program
        self._process = process
        self._monitor = monitor
        self._log = log

    def connect(self) -> None:
        """Waits until the emulator has set itself up. Raises TargetError if it has died."""
        self._answered("does not answer on its monitor", self._monitor.connect)

    def resume(self) -> None:
        """Lets the guest run from reset, once connected. Raises as `connect`."""
        self._answered("does not answer on its monitor", lambda: self._monitor.ask("cont"))

    def _answered(self, failure: str, ask: Callable[[], None]) -> None:
        try:
            ask()
        except (OSError, EOFError, ValueError) as error:
            raise self.death() or TargetError("died", f"The emulator {failure}: {error}") from None

    def quit(self) -> None:
        """Asks the emulator to end; what its plugins still write must be read meanwhile."""
        with suppress(OSError, EOFError, ValueError):
            self._monitor.ask("quit")

    def save_memory(self, address: int, size: int, path: Path) -> None:
        """Writes a stretch of the guest's memory to a file.

        Raises TargetError if the emulator does not do so.
        """
        self._answered(
            "does not give the board's memory",
            lambda: self._monitor.ask("pmemsave", val=address, size=size, filename=str(path)),
        )

    def asleep(self) -> bool:
        """Whether all of it waits, so that its guest's clock stands still by its own doing."""
        # The state comes after the name, which may have any character.
        with suppress(OSError):
            tasks = Path(f"/proc/{self._process.pid}/task").glob("*/stat")
            return all(task.read_text().rpartition(")")[2].split()[0] == "S" for task in tasks)
        return False

    def death(self) -> PerfboardError | None:
        """The error that says how the emulator died, or None while it runs."""
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return None
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        _, _, output = self._log.read_text(errors="replace").partition("\n")
        output = output.strip()[-2000:]
        if os.strerror(errno.ENOSPC) in output or shutil.disk_usage(self._log.parent).free < _ROOM:
            return EnvironmentLacksError(
                f"the disk is full: the emulator {how} for lack of room in {self._log.parent}.\n"
                f"It said: {output or 'nothing'}\nMake room there and run it again; earlier runs "
                "are unharmed."
            )
        if _NO_TIMING.search(output):
            return EnvironmentLacksError(
                f"{self._program} cannot run a timed board. It said: {output}\n"
                "Run it as counted instead, with --set detail=counted; or have another QEMU first "
                f"in PATH: the timing model is made for {_KNOWN}."
            )
        if _NO_SCOPE.search(output):
            return EnvironmentLacksError(
                f"{self._program} cannot load the scope. It said: {output}\n"
                f"The scope is made for {_KNOWN}; have one of them first in PATH."
            )
        return TargetError(
            "died",
            f"The emulator {how} while the board was running.\nIt said: {output or 'nothing'}",
        )
