# SPDX-License-Identifier: Apache-2.0
"""Real shells on pseudo-terminals, and doubles of lines that damage what they carry."""

import os
import pty
import random
import shutil
import signal
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from perfboard.targets.serial.line import SerialLine

# A session of busybox's shell edits lines; that of the system's reads them as they come.
SHELLS = [("sh", "-i")] + [("busybox", "sh", "-i")] * (shutil.which("busybox") is not None)


@contextmanager
def shell_on_terminal(
    command: Sequence[str], environment: dict[str, str] | None = None
) -> Iterator[SerialLine]:
    """A terminal with echo on whose other side is that program, ended afterwards."""
    process, descriptor = pty.fork()
    if process == 0:
        # A suite that runs in the background ignores ^C, and what it starts would too.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
        path = {"PATH": os.environ["PATH"], "HOME": "/", "TERM": "vt100", "PS1": "board# "}
        os.execvpe(command[0], list(command), {**path, **(environment or {})})
    os.set_blocking(descriptor, False)
    try:
        yield SerialLine(descriptor, "the pseudo-terminal")
    finally:
        os.close(descriptor)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


@contextmanager
def quiet_terminal() -> Iterator[tuple[int, str]]:
    """Our end of a terminal, raw, and the path of the other."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    os.set_blocking(ours, False)
    try:
        yield ours, os.ttyname(theirs)
    finally:
        os.close(ours)
        os.close(theirs)


class Through:
    """A Channel that carries all to a line and from it: what changes some of that begins here."""

    def __init__(self, line: SerialLine) -> None:
        self._line = line

    def write(self, data: bytes) -> None:
        self._line.write(data)

    def read(self, timeout_s: float) -> bytes:
        return self._line.read(timeout_s)

    def close(self) -> None:
        self._line.close()


class LostLetter(Through):
    """A Channel that loses one letter of the first question that has this text, `changed` then."""

    def __init__(self, line: SerialLine, text: bytes, changed: bytes) -> None:
        super().__init__(line)
        self._change = (text, changed, 1)
        self.lost = False

    def write(self, data: bytes) -> None:
        if not self.lost and self._change[0] in data:
            self.lost, data = True, data.replace(*self._change)
        self._line.write(data)


class BadLine(Through):
    """A Channel that garbles and drops bytes in both directions, at seeded rates.

    Now and then the kernel says something on it. What it does begins when `bad`
    is set, and goes on for ever.
    """

    def __init__(self, line: SerialLine, garbled: float, dropped: float, seed: int) -> None:
        super().__init__(line)
        self._garbled = garbled
        self._dropped = dropped
        self._random = random.Random(seed)
        self.bad = True

    def _carry(self, data: bytes) -> bytes:
        if not self.bad:
            return data
        carried = bytearray()
        for byte in data:
            fate = self._random.random()
            if fate < self._garbled:
                # A bit lost on the way; control characters would be another test.
                byte = max(32, byte ^ (1 << self._random.randrange(6)))
            elif fate < self._garbled + self._dropped:
                continue
            carried.append(byte)
        return bytes(carried)

    def write(self, data: bytes) -> None:
        self._line.write(self._carry(data))

    def read(self, timeout_s: float) -> bytes:
        data = self._carry(self._line.read(timeout_s))
        if data and self.bad and self._random.random() < 0.1:
            at = self._random.randrange(len(data))
            data = data[:at] + b"\r\n[   12.345678] usb 1-1: new device\r\n" + data[at:]
        return data
