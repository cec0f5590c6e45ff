# SPDX-License-Identifier: Apache-2.0
"""Records every byte of an emulated serial console, and types on it."""

import select
import socket
from pathlib import Path

from perfboard.analysis.boot.reading.screen import LONGEST_LINE
from perfboard.instruments.base import Attachment, InstrumentFindings, InstrumentSighting
from perfboard.instruments.console_log import MOST_BYTES, ConsoleLog
from perfboard.model.errors import TargetError

_STUCK_S = 20.0


class ConsoleRecorder:
    """The console of one boot: one end of a socket pair is the emulator's, the other ours."""

    name = "emulator's console"
    effect = ""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """A board that prints more than `most_bytes` is given up."""
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._log = ConsoleLog(most_bytes)
        self._taken = b""

    def prepare(self, artifacts: Path) -> None:
        """Makes `console.log`."""
        self._log.open(artifacts)

    def attachment(self) -> Attachment:
        """The emulator's serial port."""
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
        self._theirs.setblocking(True)
        self._theirs.close()

    def fileno(self) -> int:
        """Our end of the pair."""
        return self._ours.fileno()

    def read(self) -> list[InstrumentSighting] | None:
        """Stores the bytes that arrived; sights their lines. Raises as `ConsoleLog.add` does."""
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
        self._ours.close()
        self._theirs.close()
        self._log.close()

    def findings(self) -> InstrumentFindings:
        return InstrumentFindings("virtual")

    @property
    def tail(self) -> str:
        """The last lines, printable, for an error's message."""
        return self._log.tail
