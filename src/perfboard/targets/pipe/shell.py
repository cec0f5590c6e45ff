# SPDX-License-Identifier: Apache-2.0
"""A Shell whose every script is a process of this machine: a shell itself, or ssh."""

import re
import secrets
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from perfboard.model.errors import TargetError
from perfboard.model.progress import Progress
from perfboard.targets.base import Channel, Reply
from perfboard.targets.pipe.process import Process

_PUSH_S = 60.0
# While a script runs, its input stays open and says nothing. Its end tells that nobody waits for
# the script any more, whatever ended that. Then all of its group ends: asked, asked again, since a
# shell may miss a signal while it starts a program, then by force. This shell outlives the asking.
_WATCH = """\
exec 3<&0 </dev/null
{
read -r _ <&3
trap '' TERM
for _ in 1 2 3 4; do kill -TERM -$$; sleep 1; kill -0 $$ || break; done
kill -KILL -$$
} >/dev/null 2>&1 &
exec 3<&-
_asked=
trap _asked=1 TERM
"""
# The watch goes, unless it has to see to the end of others. A shell may tell that it was killed.
_UNWATCH = 'exec 2>/dev/null; [ -n "$_asked" ] || kill -KILL $!\n'


class PipeShell:
    """See `targets.base.Shell`."""

    def __init__(
        self,
        command: Callable[[str], Sequence[str]],
        lost: Callable[[str], TargetError],
        session: Process,
        answers_s: float = 20.0,
    ) -> None:
        """`command` makes the command line that runs a script; for `lost` see `Process`.

        `session` is a shell that runs what it reads, answers within `answers_s`, and ends when
        nobody is left to write.
        """
        self._answers_s = answers_s
        self._command = command
        self._lost = lost
        self._session = session

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        mark = _new_mark()
        return self._run(mark, f"{_WATCH}{_marked(mark, script, _UNWATCH)}", None, timeout_s)

    @contextmanager
    def hold(self, script: str, afterwards: str) -> Iterator[Reply]:
        try:
            yield self._tell(script, at_end=shlex.quote(afterwards))
        except BaseException:
            with suppress(TargetError):
                self._tell(afterwards, at_end="-")
            raise
        self._tell(afterwards, at_end="-")

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        to = shlex.quote(path)
        script = f"umask 077; cat >{to} && chmod 700 {to}"
        with progress.step("copying to the target", len(data)) as step:
            mark = _new_mark()
            done = self._run(mark, _marked(mark, script), data, _PUSH_S, step.update)
        if done.status:
            raise TargetError(
                "write", f"{path} cannot be written on the target: {done.errors.strip()[-500:]}"
            )

    def start(self, script: str) -> Channel:
        return Process(self._command(script), self._lost)

    def _tell(self, script: str, at_end: str) -> Reply:
        """Has the session run `script`, and `at_end` when it ends itself."""
        mark = _new_mark()
        # Output without a reader must not end it first.
        traps = f"trap '' HUP PIPE\ntrap {at_end} EXIT\n"
        self._session.write((traps + _marked(mark, f"exec 2>&1 </dev/null\n{script}")).encode())
        text = b""
        deadline = time.monotonic() + self._answers_s
        while (done := _completed(mark, text)) is None:
            if time.monotonic() > deadline:
                words = f"The target has not answered for {self._answers_s:.0f} s."
                raise TargetError("hang", words)
            text += self._session.read(0.5)
        return done

    def _run(
        self,
        mark: str,
        script: str,
        data: bytes | None,
        timeout_s: float,
        sent: Callable[[int], None] = lambda count: None,
    ) -> Reply:
        """The reply of a script with such marks. See `Process.exchange`."""
        process = Process(self._command(f"echo {mark} >&2\n{script}"), self._lost)
        try:
            output = process.exchange(data, timeout_s, sent, last=f"\n{mark} ".encode())
        finally:
            try:
                # An interrupted script is given time to tidy up.
                process.close()
            finally:
                process.kill()
        done = _completed(mark, output)
        if done is None:
            raise self._lost(process.errors)
        return replace(done, errors=process.errors.rpartition(f"{mark}\n")[2])


def _new_mark() -> str:
    return f"perfboard-{secrets.token_hex(8)}"


def _marked(mark: str, script: str, after: str = "") -> str:
    """The script with marks around what it prints, the last with its status; `after` it, that.

    A login prints before the first, and a logout after the last.
    """
    return f"echo {mark}\n(\n{script}\n)\nset -- $?\n{after}echo; echo {mark} $1\n"


def _completed(mark: str, text: bytes) -> Reply | None:
    """Output and status of a script, from all `text`; None if that lacks a mark."""
    _, begun, output = text.decode(errors="replace").partition(f"{mark}\n")
    output, ended, status = output.rpartition(f"\n{mark} ")
    code = re.match(r"\s*([0-9]{1,3})\s", status)
    return Reply(int(code[1]), output) if begun and ended and code else None
