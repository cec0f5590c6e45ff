# SPDX-License-Identifier: Apache-2.0
"""Requests to the shell on a console, each made until its answer has come undamaged.

`targets.console.wire` says what is sent. A request that is not answered is asked again;
whatever else comes, such as the echo, prompts and the kernel's messages, is passed over.
"""

import re
import time
from collections.abc import Sequence
from typing import NoReturn

from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.targets.base import Channel
from perfboard.targets.console.hear import ASK_AGAIN_S, KEPT, TRIES, Console
from perfboard.targets.console.wire import (
    END,
    GIVEN_UP,
    PART,
    SUMS,
    ConsoleWire,
    Operation,
    ask_again,
    ask_part,
    encode,
    functions,
    split,
)

WRITE_S = 60.0
# Scripts use these, and a bare busybox may have them without a link.
_BORROWED = "base64 cat chmod dd gunzip mkdir rm sed stty uname"
# Typed at once: where more is, and nobody listens, a target that prints meanwhile is stuck.
_SLICE = 1024
_DOUBTS = 4
# Damaged, an answer that is longer than this is asked for part by part.
_LONG = 4 * PART
_PART_S = 1.0
# The prompt of a shell that waits for the rest of what a damaged line began.
_UNFINISHED = re.compile(rb"(\A|[\r\n])> (\x1b\[6n)?\Z")


class ConsoleRequests:
    """Requests by number, of which the last is at hand. `attach` comes before any."""

    def __init__(self, channel: Channel) -> None:
        """The channel remains its owner's to close."""
        self._console = Console(channel)
        self._wire = ConsoleWire("", self._console.tag)
        self._number = 0

    def attach(self, limit_s: float) -> None:
        """Finds the shell, waiting for it at most `limit_s`, and agrees with it on the wire.

        Raises EnvironmentLacksError where the console waits for a login, or its
        shell has no program for checksums; TargetError where no shell answers.
        """
        self._console.find_shell(time.monotonic() + limit_s)
        sums = " ".join(SUMS)
        borrow = (
            f"for _c in {sums} {_BORROWED};do type $_c >/dev/null 2>&1||"
            'eval "$_c(){ busybox $_c \\"\\$@\\";}";done;'
        )
        choose = f"for _c in {sums} none;do echo|$_c >/dev/null 2>&1&&break;done;"
        found = "none"
        for _ in range(_DOUBTS):
            # The answer to a damaged question is "none" too.
            found = self._console.query(borrow + choose, "$_c", "|".join([*SUMS, "none"]))
            if found != "none":
                break
        if found == "none":
            raise EnvironmentLacksError(
                f"The shell on the console has no program for checksums: none of {sums}."
            )
        self._wire = ConsoleWire(found, self._wire.tag)
        for function in functions(found, self._wire.tag):
            self._define(function)

    def checksum(self, data: bytes) -> str:
        """The data's checksum, as the target's program has it."""
        return SUMS[self._wire.sum_program](data)

    def call(self, operation: Operation, text: str, timeout_s: float) -> tuple[int, bytes]:
        """Makes a request of that script or path, and waits for its status and output.

        A program or a file that goes on has none yet: its first output is in the console's.
        """
        self._number += 1
        pieces = split(encode(text.encode()))
        lines = self._wire.request(self._number, operation, pieces)
        self._send(lines)
        wait_s = ASK_AGAIN_S
        deadline = time.monotonic() + timeout_s
        again = time.monotonic() + wait_s
        damaged = 0
        while not self._answered(operation):
            now = time.monotonic()
            came = self._wire.refusal(self._number, self._console.output)
            if came is not None or self._wire.ended(self._number, self._console.output):
                damaged += 1
                if damaged > TRIES:
                    self.give_up(operation, lines[-1], came)
                # Refused, it has not been run; else only the answer was damaged.
                if came is None and operation == "run" and len(self._console.output) > _LONG:
                    return self._in_parts()
                self._console.output = b""
                if came is None:
                    self.ask()
                else:
                    self._send(lines)
                deadline = now + timeout_s
                again = now + wait_s
            elif now > deadline:
                self._hang(timeout_s)
            elif now > again:
                wait_s *= 1.5
                again = now + wait_s
                if _UNFINISHED.search(self._console.output):
                    self.interrupt()
                else:
                    if operation == "receive":
                        # It may be reading already, with its start not seen.
                        self._console.write(END)
                    self.ask()
            had = len(self._console.output)
            self._console.hear(0.2)
            if len(self._console.output) > had and self._wire.began(
                self._number, self._console.output
            ):
                # An answer that comes is not asked for: the echo of that would tear it.
                deadline = max(deadline, time.monotonic() + timeout_s)
                again = max(again, time.monotonic() + wait_s)
        return self._answer() or (0, b"")

    def start(self, script: str) -> bytes:
        """Starts a program, and returns its first output."""
        self.call("start", script, WRITE_S)
        return self._console.output.rpartition(self._going())[2]

    def send_file(self, path: str, data: bytes) -> tuple[int, bytes]:
        """Has these lines written to a file; the answer has the checksum of what was written."""
        try:
            self.call("receive", path, WRITE_S)
            text = data + END
            while text and self._answer() is None:
                self._console.write(text[:_SLICE])
                text = text[_SLICE:]
                self._console.hear(0)
            return self._receipt()
        except BaseException:
            # Without this, the next request would go to the file too.
            self._console.write(GIVEN_UP)
            raise

    def _receipt(self) -> tuple[int, bytes]:
        deadline = time.monotonic() + WRITE_S
        again = time.monotonic() + ASK_AGAIN_S
        while (answer := self._answer()) is None:
            now = time.monotonic()
            if now > deadline:
                self._hang(WRITE_S)
            if self._wire.ended(self._number, self._console.output):
                # Only the answer was damaged.
                self._console.output = b""
                self.ask()
            elif now > again:
                again = now + ASK_AGAIN_S
                self._console.write(END)
                self.ask()
            self._console.hear(0.2)
        return answer

    def _answer(self) -> tuple[int, bytes] | None:
        return self._wire.answer(self._number, self._console.output)

    def _going(self) -> bytes:
        return f"<{self._wire.tag}:{self._number} go".encode()

    def _answered(self, operation: Operation) -> bool:
        """Whether the output ends the call. A program's first output is kept."""
        if self._answer() is not None:
            return True
        return operation != "run" and self._going() in self._console.output

    def _send(self, lines: Sequence[bytes]) -> None:
        """Types a request. No line before the last one has been taken, or lost."""
        for line in lines[:-1]:
            self._console.output = b""
            self._console.write(line)
            deadline = time.monotonic() + ASK_AGAIN_S
            while not self._wire.gathered(self._console.output) and time.monotonic() < deadline:
                self._console.hear(0.2)
        self._console.output = b""
        self._console.write(lines[-1])

    def _in_parts(self) -> tuple[int, bytes]:
        """Status and output of the request that has ended, asked for part by part."""
        output = b""
        for _ in range(KEPT // PART):
            status, part = self._part(len(output))
            output += part
            if len(part) < PART:
                break
        return status, output

    def _part(self, begin: int) -> tuple[int, bytes]:
        attempt, answer = 0, None
        while answer is None:
            attempt += 1
            if attempt > TRIES:
                self.give_up("run")
            self._console.output = b""
            self._console.write(ask_part(begin, attempt))
            deadline = time.monotonic() + _PART_S * attempt
            ended = False
            while not ended and time.monotonic() < deadline:
                self._console.hear(0.2)
                ended = self._wire.ended(self._number, self._console.output, begin)
            answer = self._wire.answer(self._number, self._console.output, begin)
        return answer

    def read(self, timeout_s: float) -> bytes:
        """Reads the console."""
        return self._console.read(timeout_s)

    def write(self, data: bytes) -> None:
        """Types on the console."""
        self._console.write(data)

    def ask(self) -> None:
        """Has the last answer repeated. A program that reads from us gets the line instead."""
        self._console.write(ask_again(self._number, int(time.monotonic())))

    def interrupt(self) -> None:
        """Types ^C, and asks for the last answer."""
        self._console.write(b"\x03\n")
        self.ask()

    def has_ended(self, output: bytes) -> bool:
        """Whether a started program's end is in `output`."""
        return self._wire.ended(self._number, output)

    def _hang(self, waited_s: float) -> NoReturn:
        self.interrupt()
        raise TargetError(
            "hang",
            f"The shell on the console has not answered for {waited_s:.0f} s.",
            self._console.tail,
        )

    def give_up(self, operation: Operation, line: bytes = b"", came: str | None = None) -> NoReturn:
        """Raises TargetError: what `came` back of the `line`, again and again, was damaged."""
        problem = (
            "what comes back is damaged"
            if came is None
            else f"its checksum is {line.split()[-2].decode()}, and what came back is {came!r}"
        )
        raise TargetError(
            "transfer",
            f"A line ({operation}) was sent over the console {TRIES} times: {problem}.\n"
            "Check the line, its speed and its flow control, and that nothing else reads it.",
            self._console.tail,
        )

    def _define(self, function: str) -> None:
        """Has the shell read a function, once its text is known to have arrived whole."""
        program = self._wire.sum_program
        # One character is left of the text, by its own words: a damaged line reads another.
        text = f"{function};_d=:"
        expected = SUMS[program](text.encode())
        came = ""
        for _ in range(TRIES):
            sent = f"_d='{text}';set -- $(printf %s \"$_d\"|{program});"
            came = self._console.query(sent, "$1", "[!-;=?-~]*")
            read = 'eval "$_d";'
            if came == expected and self._console.query(read, "${#_d}", "[0-9]{1,4}") == "1":
                return
        raise TargetError(
            "transfer",
            f"A line was sent over the console {TRIES} times: its {program} is {expected}, "
            f"and what came back is {came[:100]!r}.",
            self._console.tail,
        )
