# SPDX-License-Identifier: Apache-2.0
"""A Shell over a console: one stream of bytes that echoes, loses, garbles and interrupts.

`console_wire` says what is sent. A request that is not answered is asked again;
whatever else comes, such as the echo, prompts and the kernel's messages, is passed over.
"""

import gzip
import re
import secrets
import time
from base64 import b64encode
from typing import NoReturn

from perfboard.model.errors import EnvironmentLacksError, TargetError
from perfboard.model.progress import Progress
from perfboard.targets.base import Channel, Completed
from perfboard.targets.console_program import Program
from perfboard.targets.console_wire import (
    SUMS,
    Operation,
    Wire,
    ask_again,
    encode,
    functions,
    split,
)

# What scripts use, and a bare busybox may have without a link.
_BORROWED = "base64 cat chmod dd gunzip mkdir rm uname"
_TRIES = 15
_SETTLED_S = 0.4
_ASK_AGAIN_S = 1.0
_WRITE_S = 60.0
_QUESTION_S = 4.0
_KEPT = 1 << 20
_TAIL = 1500
_LOGIN = re.compile(r"(login|[Uu]sername|[Pp]assword):$")
_ENTER = re.compile(r"press (Enter|ENTER|RETURN|Return)")
# The prompt of a shell that waits for the rest of what a damaged line began.
_UNFINISHED = re.compile(rb"(\A|[\r\n])> (\x1b\[6n)?\Z")
# Where a console says nothing, something is typed all the same every so often.
_BLIND = 4


class ConsoleShell:
    """See `targets.base.Shell`. The channel and a program that was started share the console."""

    def __init__(self, channel: Channel) -> None:
        """`channel` is the console; `attach` comes before anything else."""
        self._channel = channel
        self._wire = Wire("", f"pb{secrets.token_hex(4)}")
        self._number = 0
        self._heard = b""
        self._tail = b""
        self._unpacks = False

    def attach(self, limit_s: float) -> None:
        """Finds the shell, waiting for it at most `limit_s`, and prepares it.

        Raises EnvironmentLacksError where the console waits for a login, or its
        shell has no program for checksums; TargetError where no shell answers.
        """
        self._find_shell(time.monotonic() + limit_s)
        sums = " ".join(SUMS)
        borrow = (
            f"for _c in {sums} {_BORROWED};do type $_c >/dev/null 2>&1||"
            'eval "$_c(){ busybox $_c \\"\\$@\\";}";done;'
        )
        choose = f"for _c in {sums} none;do echo|$_c >/dev/null 2>&1&&break;done;"
        found = self._query(borrow + choose, "$_c", "|".join([*SUMS, "none"]))
        if found == "none":
            raise EnvironmentLacksError(
                f"The shell on the console has no program for checksums: none of {sums}."
            )
        self._wire = Wire(found, self._wire.tag)
        for function in functions(found, self._wire.tag):
            self._define(function)
        packed = b64encode(gzip.compress(b"hello")).decode()
        self._unpacks = self.run(f"echo {packed}|base64 -d|gunzip -c").output == "hello"

    def run(self, script: str, *, timeout_s: float = 20) -> Completed:
        """See `targets.base.Shell`."""
        self._call("run", self._gather(script), timeout_s)
        return self._completed()

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        """See `targets.base.Shell`."""
        # Packed, it passes the line in a part of the time; the checks are the line's own.
        text = b64encode(gzip.compress(data)) if self._unpacks else data
        to = f"{path}.packed" if self._unpacks else path
        pieces = split(encode(text))
        self._check(self.run(f"umask 077;>{to} && chmod 700 {to}"), path)
        self._call("file", to, _WRITE_S)
        with progress.step("copying over the console", len(pieces)) as step:
            for number, piece in enumerate(pieces):
                self._call("append", piece, _WRITE_S)
                self._check(self._completed(), path)
                step.update(number + 1)
        if self._unpacks:
            unpack = f"umask 077;base64 -d <{to}|gunzip -c >{path} && chmod 700 {path} && rm {to}"
            self._check(self.run(unpack, timeout_s=_WRITE_S), path)

    def start(self, script: str) -> Channel:
        """See `targets.base.Shell`."""
        self._call("start", self._gather(script), _WRITE_S)
        return Program(self, self._heard.rpartition(self._going())[2])

    def _gather(self, script: str) -> str:
        """Sends all of a script but its last piece, which is returned."""
        *pieces, last = split(encode(script.encode()))
        for piece in pieces:
            self._call("gather", piece, _WRITE_S)
        return last

    def _check(self, done: Completed, path: str) -> None:
        if done.status or done.output:
            said = _printable(done.output.encode())
            raise TargetError("write", f"{path} cannot be written on the target: {said}")

    # The console.

    def read_some(self, timeout_s: float) -> bytes:
        """What has come on the console, kept for messages too."""
        data = self._channel.read(timeout_s)
        self._tail = (self._tail + data)[-_TAIL:]
        return data

    def write(self, data: bytes) -> None:
        """Types on the console."""
        self._channel.write(data)

    def _hear(self, timeout_s: float) -> None:
        self._heard = (self._heard + self.read_some(timeout_s))[-_KEPT:]

    # Calls, once the shell has the functions.

    def _completed(self) -> Completed:
        answer = self._wire.answer(self._number, self._heard)
        assert answer is not None  # noqa: S101 - what ends a call is its answer
        return Completed(answer[0], answer[1].decode(errors="replace"))

    def _answered(self, operation: Operation) -> bool:
        """Whether what was heard ends the call. What a program said at once is kept."""
        if self._wire.answer(self._number, self._heard) is not None:
            return True
        return operation == "start" and self._going() in self._heard

    def _going(self) -> bytes:
        return f"<{self._wire.tag}:{self._number} go".encode()

    def _call(self, operation: Operation, text: str, timeout_s: float) -> None:
        """Makes a request and waits until it is answered, in `_heard`."""
        self._number += 1
        line = self._wire.request(self._number, operation, text)
        self._heard = b""
        self.write(line)
        wait_s = _ASK_AGAIN_S
        deadline = time.monotonic() + timeout_s
        again = time.monotonic() + wait_s
        damaged = 0
        while not self._answered(operation):
            now = time.monotonic()
            came = self._wire.refusal(self._number, self._heard)
            if came is not None or self._wire.ended(self._number, self._heard):
                damaged += 1
                if damaged > _TRIES:
                    self._give_up(operation, line, came)
                # Refused, it has not been run; else only the answer was damaged.
                self._heard = b""
                self.write(ask_again(self._number, damaged) if came is None else line)
                deadline = now + timeout_s
                again = now + wait_s
            elif now > deadline:
                self.interrupt()
                raise TargetError(
                    "hang",
                    f"The shell on the console has not answered for {timeout_s:.0f} s.",
                    _printable(self._tail),
                )
            elif now > again:
                wait_s *= 1.5
                again = now + wait_s
                if _UNFINISHED.search(self._heard):
                    self.interrupt()
                else:
                    self.ask()
            self._hear(min(0.2, timeout_s))

    def ask(self) -> None:
        """Has the last answer repeated. A program that reads from us gets the line instead."""
        self.write(ask_again(self._number, int(time.monotonic())))

    def interrupt(self) -> None:
        """Types ^C, and asks for the last answer."""
        self.write(b"\x03\n")
        self.ask()

    def has_ended(self, heard: bytes) -> bool:
        """Whether a started program's end is in `heard`."""
        return self._wire.ended(self._number, heard)

    def _give_up(self, operation: Operation, line: bytes, came: str | None) -> NoReturn:
        said = (
            "the answers come back damaged"
            if came is None
            else f"its checksum is {line.split()[-1].decode()}, and what came back is {came!r}"
        )
        raise TargetError(
            "transfer",
            f"A line ({operation}) was sent over the console {_TRIES} times: {said}.\n"
            "Check the line, its speed and its flow control, and that nothing else reads it.",
            _printable(self._tail),
        )

    # Before that: finding the shell, and teaching it.

    def _find_shell(self, deadline: float) -> None:
        """Returns when a shell has answered; an unfinished line is taken for a prompt."""
        said = ""
        rounds = 0
        while time.monotonic() < deadline:
            rounds += 1
            self._heard = b""
            self.write(b"\n")
            said = self._settled() or said
            prompt = said.rpartition("\n")[2].strip()
            if _LOGIN.search(prompt):
                raise EnvironmentLacksError(
                    f"The console waits for a login ({prompt[-60:]!r}). Log in there with a "
                    "terminal program, leave it without logging out, and run this again."
                )
            # Where nobody reads, what is typed waits for whoever reads first.
            if (prompt and not _ENTER.search(prompt)) or rounds % _BLIND == 0:
                self.write(self._question("", "$((6*7))"))
                if self._reply("42", _QUESTION_S):
                    return
        if not said.strip():
            raise TargetError(
                "hang",
                "Nothing comes from the console. Check that the board is on, the cable, and the "
                "line's speed.",
            )
        raise TargetError("hang", "No POSIX shell answers on the console.", _printable(self._tail))

    def _settled(self) -> str:
        """What the console says until it is quiet for a moment."""
        deadline = time.monotonic() + _QUESTION_S
        length = -1
        while len(self._heard) > length and time.monotonic() < deadline:
            length = len(self._heard)
            self._hear(_SETTLED_S)
        return self._heard.decode(errors="replace").replace("\r", "")

    def _question(self, before: str, value: str) -> bytes:
        # In the echo, the quotes part the mark that the reply has whole.
        return f'{before}echo "<{self._wire.tag}""={value}>"\n'.encode()

    def _reply(self, pattern: str, timeout_s: float) -> str:
        """The value in the reply to a question, "" where none comes."""
        wanted = re.compile(f"<{self._wire.tag}=({pattern})>".encode())
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            match = wanted.search(self._heard)
            if match:
                return match[1].decode()
            self._hear(0.2)
        return ""

    def _query(self, before: str, value: str, pattern: str) -> str:
        """Asks until a reply matches. What is asked may be run any number of times."""
        for attempt in range(_TRIES):
            self._heard = b""
            self.write(self._question(before, value))
            reply = self._reply(pattern, (attempt + 1) * _ASK_AGAIN_S / 2)
            if reply:
                return reply
            self.write(b"\x03\n")
        raise TargetError(
            "transfer",
            f"The shell on the console was asked {_TRIES} times and gives no readable reply.",
            _printable(self._tail),
        )

    def _define(self, function: str) -> None:
        """Has the shell read a function, once its text is known to have arrived whole."""
        program = self._wire.sum_program
        expected = SUMS[program](function.encode())
        came = ""
        for _ in range(_TRIES):
            sent = f"_d='{function}';set -- $(printf %s \"$_d\"|{program});"
            came = self._query(sent, "$1", "[!-;=?-~]*")
            # One character is left of the text when it has been read.
            read = 'eval "$_d"&&_d=:;'
            if came == expected and self._query(read, "${#_d}", "[0-9]{1,4}") == "1":
                return
        raise TargetError(
            "transfer",
            f"A line was sent over the console {_TRIES} times: its {program} is {expected}, "
            f"and what came back is {came[:100]!r}.",
            _printable(self._tail),
        )


def _printable(said: bytes) -> str:
    text = said.decode(errors="replace").replace("\r", "").strip()[-_TAIL:]
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
