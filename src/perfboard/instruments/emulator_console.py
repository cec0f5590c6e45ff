# SPDX-License-Identifier: Apache-2.0
"""Records every byte of an emulated serial console, and types on it."""

import select
import socket
from pathlib import Path

from perfboard.instruments.base import Attachment, Sighting
from perfboard.instruments.console_log import LONGEST_LINE, ConsoleLog
from perfboard.model.errors import TargetError

_STUCK_S = 20.0


class ConsoleRecorder:
    """The console of one boot, of which all goes to a `ConsoleLog`."""

    def __init__(self) -> None:
        self._ours: socket.socket | None = None
        self._theirs: socket.socket | None = None
        self._log: ConsoleLog | None = None
        self._taken = b""

    def prepare(self, artifacts: Path) -> Attachment:
        """A socket pair: one end the emulator's serial port, the other ours."""
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._log = ConsoleLog(artifacts)
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
        """Stores the bytes that arrived; sights their lines. Raises as `ConsoleLog.add` does."""
        assert self._ours is not None and self._log is not None  # noqa: S101 - prepared first
        try:
            data = self._ours.recv(1 << 16)
        except BlockingIOError:
            return []
        except ConnectionResetError:
            return None
        if not data:
            return None
        self._taken = (self._taken + data)[-LONGEST_LINE:]
        return self._log.add(data)

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
        if self._log is not None:
            self._log.close()

    @property
    def tail(self) -> str:
        """The last lines, printable, for an error's message."""
        return self._log.tail if self._log is not None else ""
