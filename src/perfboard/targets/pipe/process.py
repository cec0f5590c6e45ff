# SPDX-License-Identifier: Apache-2.0
"""A program of this machine that is spoken with, and never outlives Perfboard's use of it."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress

from perfboard.host.programs.children import guarded
from perfboard.model.errors import TargetError

# A program that does not read for so long will not.
_STUCK_S = 20.0
# After the end of its input a program may still tidy up for so long.
_ENDING_S = 10.0
# The time for the last words of a program that is lost.
_LAST_WORDS_S = 1.0
_CHUNK = 1 << 16
_ERRORS_KEPT = 4000
_MOST_OUTPUT = 16 << 20


class Process:
    """A Channel to a program in a session of its own, where ^C does not reach it."""

    def __init__(
        self,
        command: Sequence[str],
        lost: Callable[[str], TargetError],
        descriptors: Sequence[int] = (),
        *,
        tidies: bool = False,
    ) -> None:
        """`lost` makes the error of a stream that ended from what the program complained of.

        The program gets the `descriptors` too, by their numbers. If Perfboard is killed, one that
        `tidies` gets to the end of its input; any other is killed with it.
        """
        self._lost = lost
        self._guard = ExitStack()
        self._process = self._guard.enter_context(
            guarded(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=descriptors,
                bufsize=0,
            )
        )
        if tidies:
            self._guard.close()
        assert self._process.stdin and self._process.stdout and self._process.stderr  # noqa: S101
        self._input = self._process.stdin
        self._errors = b""
        self._selector = selectors.DefaultSelector()
        for stream in (self._process.stdout, self._process.stderr):
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ)
        os.set_blocking(self._input.fileno(), False)

    @property
    def errors(self) -> str:
        """The last of what the program wrote to its standard error."""
        return self._errors.decode(errors="replace")

    @property
    def ended(self) -> bool:
        """Whether the program itself has ended. It keeps its number until `kill`."""
        if self._process.returncode is not None:
            return True
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, flags) is not None

    def _write_some(self, data: memoryview, timeout_s: float) -> int:
        """How many bytes of `data` could be written. Raises BrokenPipeError at its end."""
        with selectors.DefaultSelector() as writable:
            writable.register(self._input, selectors.EVENT_WRITE)
            if not writable.select(timeout_s):
                return 0
        return self._input.write(data[:_CHUNK]) or 0

    def _read_some(self, timeout_s: float) -> bytes | None:
        """The bytes on standard output; None at its end and that of standard error."""
        output = b""
        if not self._selector.get_map():
            return None
        for key, _ in self._selector.select(timeout_s):
            data = os.read(key.fd, _CHUNK)
            if not data:
                self._selector.unregister(key.fileobj)
            elif key.fileobj is self._process.stderr:
                self._errors = (self._errors + data)[-_ERRORS_KEPT:]
            else:
                output = data
        return output

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                written = self._write_some(rest, _STUCK_S)
            except (BrokenPipeError, ValueError):
                # Why it ended is found where it is read.
                self.hear_last_words()
                raise self._lost(self.errors) from None
            if not written:
                raise TargetError("hang", f"The target has not read for {_STUCK_S:.0f} s.")
            rest = rest[written:]

    def hear_last_words(self) -> None:
        """Reads on to its end, but not for long: it may never cease to speak."""
        deadline = time.monotonic() + _LAST_WORDS_S
        while time.monotonic() < deadline and self._read_some(0.2) is not None:
            pass

    def read(self, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        while (data := self._read_some(max(0.0, deadline - time.monotonic()))) == b"":
            if time.monotonic() >= deadline:
                return b""
        if data is None:
            raise self._lost(self.errors)
        return data

    def exchange(
        self,
        data: bytes | None,
        timeout_s: float,
        sent: Callable[[int], None] = lambda count: None,
        last: bytes = b"",
    ) -> bytes:
        """Gives the program `data` to read, and returns all that it writes until it ends.

        Without `data` its input stays open, and says nothing, until it has written `last`: what
        lies between, as a login's own programs, may end with its input alone. `sent` gets the
        number of bytes that are gone. Raises TargetError("hang", ...) when it has not ended
        `timeout_s` after it took the last of them that it took.
        """
        size = len(data or b"")
        rest, output = memoryview(data or b""), b""
        moved = time.monotonic()
        while True:
            try:
                written = self._write_some(rest, 0.05) if rest else 0
            except BrokenPipeError:
                written = len(rest)  # It will not read more; its own words say why.
            rest = rest[written:]
            sent(size - len(rest))
            if data is not None and not rest:
                self._input.close()
            arrived = self._read_some(0.0 if rest else 0.2)
            if arrived is None:
                return output
            output += arrived
            if arrived and last and last in output[-len(arrived) - len(last) :]:
                rest = rest[:0]  # It has answered before it had read all.
                self._input.close()
            if len(output) > _MOST_OUTPUT:
                raise TargetError("garbage", "The target does not cease to answer a short command.")
            if written:
                moved = time.monotonic()
            elif time.monotonic() - moved > timeout_s:
                raise TargetError("hang", f"The target has not answered for {timeout_s:.0f} s.")

    def close(self) -> None:
        deadline = time.monotonic() + _ENDING_S
        with suppress(OSError):
            self._input.close()
        # It may have to get rid of output before it can end.
        while not self.ended and time.monotonic() < deadline:
            if self._read_some(0.05) is None:
                time.sleep(0.005)
        self.kill()

    def exit_status(self) -> int:
        """Waits for the program to end; its status, negative for a signal."""
        self.close()
        return self._process.returncode

    def kill(self) -> None:
        """Ends the program and all of its session's group that is left."""
        if self._process.returncode is None:
            # Not yet waited for, so that the number is still its own.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._guard.close()
        self._selector.close()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
