# SPDX-License-Identifier: Apache-2.0
"""An emulator's monitor: commands and answers, a JSON object a line.

Source: QEMU 10.0, docs/interop/qmp-spec.rst.
"""

import json
import socket
from typing import Any

# It sets its machine up before it greets.
_GREETS_S, _ANSWERS_S = 120.0, 20.0
_LONGEST = 1 << 20


class Monitor:
    """One emulator's monitor. Its methods raise OSError, EOFError or ValueError if it fails."""

    def __init__(self, wire: socket.socket) -> None:
        """Speaks over `wire` from now on; says nothing yet."""
        self._wire = wire
        self._lines = wire.makefile("rb")

    def connect(self) -> None:
        """Waits for the greeting, and leaves the mode in which no other command is allowed."""
        self._wire.settimeout(_GREETS_S)
        if "QMP" not in self._next():
            raise ValueError("it does not greet")
        self._wire.settimeout(_ANSWERS_S)
        self.ask("qmp_capabilities")

    def ask(self, command: str, **arguments: object) -> None:
        """Has the emulator obey a command."""
        request = {"execute": command, "arguments": arguments}
        self._wire.sendall(json.dumps(request).encode() + b"\n")
        # Events come in between.
        while "return" not in (answer := self._next()):
            if "error" in answer:
                raise ValueError(f"{command}: {answer['error']}")

    def close(self) -> None:
        """Ends the conversation."""
        self._lines.close()
        self._wire.close()

    def _next(self) -> dict[str, Any]:
        line = self._lines.readline(_LONGEST)
        if not line.endswith(b"\n"):
            raise EOFError("it has ended the conversation")
        answer = json.loads(line)
        return answer if isinstance(answer, dict) else {}
