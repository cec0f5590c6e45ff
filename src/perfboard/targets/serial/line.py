# SPDX-License-Identifier: Apache-2.0
"""A board whose shell is on a serial line of this machine."""

import errno
import fcntl
import os
import re
import select
import termios
import time
import tty
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from perfboard.model.errors import EnvironmentLacksError, TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Evidence
from perfboard.targets.base import Target, meant, refuse_factors
from perfboard.targets.console.shell import ConsoleShell
from perfboard.targets.serial.holders import holders

SCHEME = "serial"
FORM = "serial:///dev/DEVICE[?baud=115200]"

_TEXT = re.compile(r"serial://(?P<path>/[^?#\0]+)(?:\?baud=(?P<baud>[0-9]{1,8}))?")
_USUAL_BAUD = "115200"
ATTACH_S = 30.0
CONSOLE_IDLE_S = 60.0
_STUCK_S = 20.0


# The numbers of the drivers of pseudo-terminals.
_PSEUDO = range(136, 144)
PSEUDO_NOTE = (
    "The line is a pseudo-terminal: a program of this machine is at its other end, and nothing "
    "shows whether it leads to a board."
)


class SerialLine:
    """The Channel of an open terminal device."""

    def __init__(self, descriptor: int, name: str) -> None:
        """`descriptor` does not block, and stays the caller's to close."""
        self._descriptor = descriptor
        self._name = name

    def write(self, data: bytes) -> None:
        deadline = time.monotonic() + _STUCK_S
        while data:
            if time.monotonic() > deadline:
                raise TargetError("hang", f"{self._name} takes no more; is flow control on?")
            _, ready, _ = select.select([], [self._descriptor], [], 1.0)
            if ready:
                try:
                    data = data[os.write(self._descriptor, data) :]
                    deadline = time.monotonic() + _STUCK_S
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise self._lost(error) from error

    def fileno(self) -> int:
        """The device's descriptor."""
        return self._descriptor

    @property
    def evidence(self) -> Evidence:
        """The evidence of what it shows: a pseudo-terminal is no real board's."""
        number = os.major(os.fstat(self._descriptor).st_rdev)
        return Evidence.HOST if number in _PSEUDO else Evidence.SILICON

    def ready(self, timeout_s: float) -> bool:
        """Whether something has come, waiting at most `timeout_s`."""
        return bool(select.select([self._descriptor], [], [], timeout_s)[0])

    def read(self, timeout_s: float, most: int = 1 << 16) -> bytes:
        """See `targets.base.Channel`; `most` bytes at once."""
        if not self.ready(timeout_s):
            return b""
        try:
            data = os.read(self._descriptor, most)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise self._lost(error) from error
        if not data:
            raise self._lost(None)
        return data

    def close(self) -> None:
        """Nothing: the line is whoever's who opened it."""

    def _lost(self, error: OSError | None) -> TargetError:
        why = error.strerror if error else "end of file"
        return TargetError("lost", f"{self._name} is gone ({why}). Was it unplugged?")


@contextmanager
def _opened(path: str, speed: int) -> Iterator[int]:
    """The device: ours alone, raw, at that speed; as it was before, afterwards."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        cure = {
            errno.ENOENT: "Is it plugged in? `ls /dev/tty*` shows what there is.",
            errno.EACCES: "On Debian: sudo adduser $USER dialout, and log in again.",
            errno.EBUSY: f"{' and '.join(holders(path)) or 'Another program'} uses it: end that "
            "first. A ModemManager tries each new line for half a minute.",
        }.get(error.errno or 0, "")
        raise EnvironmentLacksError(f"{path} cannot be opened: {error.strerror}. {cure}") from error
    try:
        try:
            before = termios.tcgetattr(descriptor)
        except termios.error as error:
            raise UsageError(f"{path} is no serial line.") from error
        if others := holders(path):
            raise EnvironmentLacksError(
                f"{path} is open in {' and '.join(others)}, which would get a part of what the "
                "board prints: end that first."
            )
        fcntl.ioctl(descriptor, termios.TIOCEXCL)
        try:
            tty.setraw(descriptor)
            settings = termios.tcgetattr(descriptor)
            # No modem is asked for permission, nor is the other end stopped by characters.
            settings[2] = (settings[2] | termios.CLOCAL | termios.CREAD) & ~termios.CRTSCTS
            settings[4] = settings[5] = speed
            termios.tcsetattr(descriptor, termios.TCSANOW, settings)
            yield descriptor
        finally:
            # A line that was unplugged has no settings to restore.
            with suppress(termios.error, OSError):
                termios.tcsetattr(descriptor, termios.TCSANOW, before)
                fcntl.ioctl(descriptor, termios.TIOCNXCL)
    finally:
        os.close(descriptor)


def parse_line(text: str) -> tuple[str, int]:
    """The path and the baud rate of a serial target. Raises UsageError for a wrong text."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(f'"{text}" is no serial target; it is written {FORM}.{meant(text)}')
    baud = match["baud"] or _USUAL_BAUD
    if not getattr(termios, f"B{baud}", None):
        raise UsageError(f'"{text}": {baud} is no speed of a serial line; 115200 is the usual one.')
    return match["path"], int(baud)


@contextmanager
def open_line(text: str) -> Iterator[SerialLine]:
    """The line of the target that the user wrote as `text`. Raises UsageError for a wrong text."""
    path, baud = parse_line(text)
    with _opened(path, getattr(termios, f"B{baud}")) as descriptor:
        yield SerialLine(descriptor, path)


@contextmanager
def connect(
    text: str, progress: Progress, artifacts: Path | None, factors: Mapping[str, str]
) -> Iterator[Target]:
    refuse_factors(text, factors)
    with open_line(text) as line:
        shell = ConsoleShell(line)
        with progress.step("looking for a shell on the console", 1):
            shell.attach(ATTACH_S)
        notes = (PSEUDO_NOTE,) if line.evidence is Evidence.HOST else ()
        yield Target(text, line.evidence, shell, CONSOLE_IDLE_S, notes=notes)
