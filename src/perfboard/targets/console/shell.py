# SPDX-License-Identifier: Apache-2.0
"""A Shell over a console: one stream of bytes that echoes, loses, garbles and interrupts."""

import gzip
import shlex
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from perfboard.model.errors import TargetError
from perfboard.model.progress import Progress
from perfboard.targets.base import Channel, Reply
from perfboard.targets.console.hear import TRIES, last_lines
from perfboard.targets.console.program import ConsoleProgram
from perfboard.targets.console.requests import WRITE_S, ConsoleRequests
from perfboard.targets.console.wire import encode, split

# Lines of a file that share a checksum, until one comes damaged.
_LINES_TOGETHER = 64


class ConsoleShell:
    """See `targets.base.Shell`. The channel and a program that was started share the console."""

    def __init__(self, channel: Channel, ending_s: float = 10.0) -> None:
        """`channel` is the console; `attach` comes before anything else.

        A program that is closed has `ending_s` before it is interrupted.
        """
        self._ending_s = ending_s
        self._requests = ConsoleRequests(channel)
        self._unpacks = False

    def attach(self, limit_s: float) -> None:
        """See `ConsoleRequests.attach`. Finds out whether the target unpacks files, too."""
        self._requests.attach(limit_s)
        packed = b64encode(gzip.compress(b"hello")).decode()
        self._unpacks = self.run(f"echo {packed}|base64 -d|gunzip -c").output == "hello"

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        try:
            status, output = self._requests.call("run", script, timeout_s)
        except KeyboardInterrupt:
            # The script would go on, and the shell hear nothing of what comes afterwards.
            with suppress(TargetError):
                self._requests.interrupt()
            raise
        return Reply(status, output.decode(errors="replace"))

    @contextmanager
    def hold(self, script: str, afterwards: str) -> Iterator[Reply]:
        try:
            yield self.run(script)
        except BaseException:
            with suppress(TargetError):
                self.run(afterwards)
            raise
        self.run(afterwards)

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        # Packed, it passes the line in a part of the time; the checks are the line's own.
        text = b64encode(gzip.compress(data, mtime=0)) if self._unpacks else data
        lines = [f"{line}\n".encode() for line in split(encode(text))]
        parts, last = f"{shlex.quote(path)}.part*", shlex.quote(path)
        self._check(self.run(f"umask 077;>{last} && chmod 700 {last}"), path)
        done, number, damaged, together = 0, 0, 0, _LINES_TOGETHER
        with progress.step("copying over the console", len(lines)) as step:
            while done < len(lines):
                some = lines[done : done + together]
                if self._receive(f"{path}.part{number:05d}", b"".join(some)):
                    number += 1
                    done += len(some)
                    step.update(done)
                    damaged = 0
                    continue
                together = (together + 1) // 2
                damaged += 1
                if damaged > TRIES:
                    self._requests.give_up("receive")
        unpack = (
            f"cat {parts}|base64 -d|gunzip -c"
            if self._unpacks
            else f'cat {parts}|while read -r _c;do printf %b "$_c";done'
        )
        script = f"{unpack} >{last} && rm {parts}"
        self._check(self.run(script, timeout_s=WRITE_S), path)

    def _receive(self, path: str, data: bytes) -> bool:
        """Whether these lines have become a file of the target, undamaged."""
        status, output = self._requests.send_file(path, data)
        done = Reply(status, output.decode(errors="replace"))
        if done.status:
            self._check(done, path)
        return done.output.split()[:1] == [self._requests.checksum(data)]

    def start(self, script: str) -> Channel:
        output = self._requests.start(script)
        return ConsoleProgram(self._requests, output, self._ending_s)

    def _check(self, done: Reply, path: str) -> None:
        if done.status or done.output:
            errors = last_lines(done.output.encode())
            raise TargetError("write", f"{path} cannot be written on the target: {errors}")
