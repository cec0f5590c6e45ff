# SPDX-License-Identifier: Apache-2.0
"""A console with a shell at it, somewhere: its output, and the first questions to the shell."""

import re
import secrets
import time
from typing import NoReturn

from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.model.text import printable
from perfboard.targets.base import Channel
from perfboard.targets.console.wire import GIVEN_UP

TRIES = 15
ASK_AGAIN_S = 1.0
_SETTLED_S = 0.4
_GATHER_S = 0.002
_QUESTION_S = 4.0
# A board that boots prints more often.
_UNASKED_S = 2.0
KEPT = 1 << 20
_TAIL = 1500
_LOGIN = re.compile(r"(login|[Uu]sername|[Pp]assword):$")
_ENTER = re.compile(r"press (Enter|ENTER|RETURN|Return)")
# A silent console gets something typed all the same, every so often.
_BLIND = 4
# Somebody may have typed a part of a command there, or left a program that reads; so may a command
# of ours that was killed. These end a program and a line, a file that is sent, and an open quote.
_RECOVERIES = tuple(b"\x03" + GIVEN_UP + quote for quote in (b"#'\n", b'#"\n'))


class Console:
    """The output of a console, and questions to a shell that knows nothing of us.

    Its users clear `output`; `tag` marks what is meant for us.
    """

    def __init__(self, channel: Channel) -> None:
        """The channel remains its owner's to close."""
        self._channel = channel
        self._tail = b""
        self.output = b""
        self.tag = f"pb{secrets.token_hex(4)}"

    @property
    def tail(self) -> str:
        """The end of the console's output, for an error's message."""
        return last_lines(self._tail)

    def read(self, timeout_s: float) -> bytes:
        """Reads without adding to `output`."""
        data = self._channel.read(timeout_s)
        self._tail = (self._tail + data)[-_TAIL:]
        return data

    def hear(self, timeout_s: float) -> None:
        """Reads, and adds that to `output`."""
        data = self.read(timeout_s)
        self.output = (self.output + data)[-KEPT:]
        if data:
            # An echo comes a character at a time: to look at each would cost more than the line.
            time.sleep(_GATHER_S)

    def write(self, data: bytes) -> None:
        """Types on the console."""
        self._channel.write(data)

    def find_shell(self, deadline: float) -> None:
        """Returns when a shell has answered; an unfinished line is taken for a prompt.

        It ends a program or a line that keeps the shell from that, unless something prints.
        """
        text = ""
        rounds = asked = 0
        while time.monotonic() < deadline:
            rounds += 1
            self.output = b""
            self.write(b"\n")
            text = self._settled() or text
            prompt = text.rpartition("\n")[2].strip()
            if _LOGIN.search(prompt):
                raise EnvironmentLacksError(
                    f"The console waits for a login ({prompt[-60:]!r}). Log in there with a "
                    "terminal program, leave it without logging out, and run this again."
                )
            # Typed text waits for the first program that reads.
            if (prompt and not _ENTER.search(prompt)) or rounds % _BLIND == 0:
                self.write(self._question("", "$((6*7))"))
                if self._reply("42", _QUESTION_S):
                    return
                text = text.strip() or self.output.decode(errors="replace")
                if not self._prints():
                    self.write(_RECOVERIES[asked % len(_RECOVERIES)])
                    asked += 1
        self._give_up(text)

    def _give_up(self, text: str) -> NoReturn:
        """Raises TargetError for a console on which nothing but `text` came."""
        if not text.strip():
            raise TargetError(
                "hang",
                "Nothing comes from the console. Check that the board is on, the cable, and the "
                "line's speed.",
            )
        if self._prints():
            raise TargetError(
                "hang",
                "The console still prints, and no shell answers: the board may boot, or a program "
                "run there. Wait until it is quiet, and run this again.",
                self.tail,
            )
        raise TargetError(
            "hang",
            "No POSIX shell answers on the console; ^C and closing quotes were typed, too.",
            self.tail,
        )

    def _prints(self) -> bool:
        """Whether something comes although nothing is typed."""
        self._settled()
        self.output = b""
        deadline = time.monotonic() + _UNASKED_S
        while not self.output and time.monotonic() < deadline:
            self.hear(_SETTLED_S)
        return bool(self.output)

    def _settled(self) -> str:
        """The output until the console is quiet for a moment."""
        deadline = time.monotonic() + _QUESTION_S
        length = -1
        while len(self.output) > length and time.monotonic() < deadline:
            length = len(self.output)
            self.hear(_SETTLED_S)
        return self.output.decode(errors="replace").replace("\r", "")

    def _question(self, before: str, value: str) -> bytes:
        # In the echo, the quotes part the mark that the reply has whole.
        return f'{before}echo "<{self.tag}""={value}>"\n'.encode()

    def _reply(self, pattern: str, timeout_s: float) -> str:
        """The value in the reply to a question, or ""."""
        wanted = re.compile(f"<{self.tag}=({pattern})>".encode())
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            match = wanted.search(self.output)
            if match:
                return match[1].decode()
            self.hear(0.2)
        return ""

    def query(self, before: str, value: str, pattern: str) -> str:
        """Asks until a reply matches. The question may be run any number of times."""
        for attempt in range(TRIES):
            self.output = b""
            self.write(self._question(before, value))
            reply = self._reply(pattern, (attempt + 1) * ASK_AGAIN_S / 2)
            if reply:
                return reply
            self.write(b"\x03\n")
        raise TargetError(
            "transfer",
            f"The shell on the console was asked {TRIES} times and gives no readable reply.",
            self.tail,
        )


def last_lines(text: bytes) -> str:
    """The end of some output, as lines of text."""
    return printable(text.decode(errors="replace").replace("\r", "").strip()[-_TAIL:])
