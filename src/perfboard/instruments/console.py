# SPDX-License-Identifier: Apache-2.0
"""Records every byte of an emulated serial console, and types on it."""

import contextlib
import os
import select
import socket
from pathlib import Path

from perfboard.instruments.base import Attachment, Sighting
from perfboard.model.errors import TargetError
from perfboard.model.text import printable
from perfboard.model.units import format_size

# A guest that never ends a line must not make the recorder grow without bound.
_LONGEST_LINE = 1 << 16
_STUCK_S = 20.0
# Beyond what any board prints; one that prints for ever would fill the disk.
MOST_BYTES = 64 << 20


class ConsoleRecorder:
    """Writes `console.log`, and sights each line, also before it ends."""

    def __init__(self) -> None:
        self._ours: socket.socket | None = None
        self._theirs: socket.socket | None = None
        self._log = -1
        self._line = b""
        self._tail: list[str] = []
        self._taken = b""
        self._size = 0

    def prepare(self, artifacts: Path) -> Attachment:
        """A socket pair: one end the emulator's serial port, the other ours."""
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._log = os.open(
            artifacts / "console.log",
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC,
            0o644,
        )
        descriptor = self._theirs.fileno()
        return Attachment(
            ("-chardev", f"socket,id=console,fd={descriptor}", "-serial", "chardev:console"),
            (descriptor,),
        )

    def start(self) -> None:
        """Closes the emulator's end, so that its death ends the stream.

        Before, it is set to wait where we have not read yet, after the emulator set it not
        to: its 16550 would else try again when the host lets it, and lose bytes.
        """
        if self._theirs is not None:
            self._theirs.setblocking(True)
            self._theirs.close()

    def fileno(self) -> int:
        """Our end of the pair."""
        return -1 if self._ours is None else self._ours.fileno()

    def read(self) -> list[Sighting] | None:
        """Stores the bytes that arrived; sights their lines.

        Raises TargetError("flood", ...) where the board has printed more than anyone reads.
        """
        assert self._ours is not None  # noqa: S101 - prepared before it is read
        try:
            data = self._ours.recv(1 << 16)
        except BlockingIOError:
            return []
        except ConnectionResetError:
            return None
        if not data:
            return None
        self._size += len(data)
        if self._size > MOST_BYTES:
            raise TargetError(
                "flood",
                f"The board has printed more than {format_size(MOST_BYTES)} on its console. "
                "Stop what prints without end.",
                self.tail,
            )
        written = 0
        while written < len(data):
            written += os.write(self._log, data[written:])
        self._taken = (self._taken + data)[-_LONGEST_LINE:]
        *whole, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-_LONGEST_LINE:]
        lines = [line.decode(errors="replace").strip("\r") for line in whole]
        self._tail = [*self._tail, *lines][-12:]
        sightings = [Sighting("line", "", line) for line in lines]
        if self._line:
            sightings.append(Sighting("prompt", "", self._line.decode(errors="replace")))
        return sightings

    def take(self) -> bytes:
        """The bytes read since the last time, or the last 64 KiB of them."""
        taken, self._taken = self._taken, b""
        return taken

    def write(self, data: bytes) -> None:
        """Types on the console. Raises TargetError("hang", ...) where the board takes nothing."""
        assert self._ours is not None  # noqa: S101 - prepared before it is written to
        while data:
            if not select.select([], [self._ours], [], _STUCK_S)[1]:
                raise TargetError(
                    "hang",
                    f"The board has taken nothing from its console for {_STUCK_S:.0f} s.",
                    self.tail,
                )
            try:
                data = data[self._ours.send(data) :]
            except (BrokenPipeError, ConnectionResetError):
                # How the emulator died is found where it is read.
                return

    def stop(self) -> None:
        """Closes both ends and the log."""
        for end in (self._ours, self._theirs):
            if end is not None:
                end.close()
        if self._log >= 0:
            with contextlib.suppress(OSError):
                os.close(self._log)
        self._log = -1

    @property
    def tail(self) -> str:
        """The last lines, printable, for an error's message."""
        lines = [*self._tail, self._line.decode(errors="replace")]
        return printable("\n".join(line for line in lines if line.strip()))
