# SPDX-License-Identifier: Apache-2.0
"""A Shell whose every script is a process of this machine: a shell itself, or ssh."""

import re
import secrets
import shlex
from collections.abc import Callable, Sequence

from perfboard.model.errors import TargetError
from perfboard.model.progress import Progress
from perfboard.targets.base import Channel, Completed
from perfboard.targets.process import Process

_PUSH_S = 60.0


class PipeShell:
    """See `targets.base.Shell`."""

    def __init__(
        self, command: Callable[[str], Sequence[str]], lost: Callable[[str], TargetError]
    ) -> None:
        """`command` makes the command line that runs a script; for `lost` see `Process`."""
        self._command = command
        self._lost = lost

    def run(self, script: str, *, timeout_s: float = 20) -> Completed:
        """See `targets.base.Shell`."""
        return self._run(script, b"", timeout_s, lambda count: None)

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        """See `targets.base.Shell`."""
        to = shlex.quote(path)
        script = f"umask 077; cat >{to} && chmod 700 {to}"
        with progress.step("copying to the target", len(data)) as step:
            done = self._run(script, data, _PUSH_S, step.update)
        if done.status:
            raise TargetError(
                "write", f"{path} cannot be written on the target: {done.errors.strip()[-500:]}"
            )

    def start(self, script: str) -> Channel:
        """See `targets.base.Shell`."""
        return Process(self._command(script), self._lost)

    def _run(
        self, script: str, data: bytes, timeout_s: float, sent: Callable[[int], None]
    ) -> Completed:
        # What a login prints comes before the first mark, and what a logout does after the last.
        mark = f"perfboard-{secrets.token_hex(8)}"
        whole = f"echo {mark}; echo {mark} >&2\n(\n{script}\n)\nset -- $?; echo; echo {mark} $1\n"
        process = Process(self._command(whole), self._lost)
        try:
            output = process.exchange(data, timeout_s, sent).decode(errors="replace")
            process.close()
        finally:
            process.kill()
        _, begun, output = output.partition(f"{mark}\n")
        output, ended, status = output.rpartition(f"\n{mark} ")
        code = re.match(r"\s*([0-9]{1,3})\s", status)
        if not (begun and ended and code):
            raise self._lost(process.errors)
        errors = process.errors.rpartition(f"{mark}\n")[2]
        return Completed(int(code[1]), output, errors)
