# SPDX-License-Identifier: Apache-2.0
"""A program that a console's shell runs, while the console is the program's."""

import time
from contextlib import suppress

from perfboard.model.errors import TargetError
from perfboard.targets.console.requests import ConsoleRequests

_ASK_AGAIN_S = 1.0
# The mark of the end may come in two parts.
_KEPT = 100


class ConsoleProgram:
    """The Channel to a started program. It ends at the answer to the request that started it."""

    def __init__(self, requests: ConsoleRequests, output: bytes, ending_s: float) -> None:
        """`output` has come since the program was started.

        Closed, it has `ending_s` to end by itself.
        """
        self._requests = requests
        self._ending_s = ending_s
        self._pending = output
        self._recent = b""
        self._ended = False

    def write(self, data: bytes) -> None:
        self._requests.write(data)

    def read(self, timeout_s: float) -> bytes:
        """See `targets.base.Channel`. The echo of what is written comes too."""
        if self._ended:
            raise TargetError("lost", "The program on the target has ended.")
        data, self._pending = self._pending or self._requests.read(timeout_s), b""
        recent = self._recent + data
        self._ended = self._requests.has_ended(recent)
        self._recent = recent[-_KEPT:]
        return data

    def close(self) -> None:
        """Waits for the program's end; one that does not end is interrupted."""
        for rouse in (self._requests.ask, self._requests.interrupt):
            deadline = time.monotonic() + self._ending_s
            again = time.monotonic() + _ASK_AGAIN_S
            with suppress(TargetError):
                while not self._ended and time.monotonic() < deadline:
                    self.read(0.2)
                    if time.monotonic() > again:
                        rouse()
                        again += _ASK_AGAIN_S
        self._ended = True
