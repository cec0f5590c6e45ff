# SPDX-License-Identifier: Apache-2.0
"""Runs a long command so that its output can be followed and nothing outlives it."""

import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from perfboard.model.errors import EnvironmentLacksError

_LAST_LINES = 15
_GRACE_SECONDS = 5.0


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its exit code, and the last lines that it printed."""

    code: int
    last_lines: str


def follow(
    command: Sequence[str],
    on_line: Callable[[str], bool],
    *,
    folder: Path,
    variables: Mapping[str, str] | None = None,
    log: IO[str] | None = None,
) -> Outcome:
    """Runs `command` in `folder` and calls `on_line` for each line that it prints.

    `on_line` says whether the line was only meant for it: such lines are left
    out of the last lines and of `log`. `variables` are added to the environment.
    The command gets a process group of its own, which is ended whole if anything,
    Ctrl-C too, comes in between.
    """
    last: deque[str] = deque(maxlen=_LAST_LINES)
    process = subprocess.Popen(
        list(command),
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", **(variables or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        for line in process.stdout:
            if on_line(line):
                continue
            last.append(line.rstrip())
            if log is not None:
                log.write(line)
        code = process.wait()
    except BaseException:
        _end_group(process)
        raise
    return Outcome(code, "\n".join(last))


def run_tool(command: Sequence[str], folder: Path) -> None:
    """Runs a command in `folder`; raises EnvironmentLacksError where it fails."""
    outcome = follow(command, lambda line: False, folder=folder)
    if outcome.code:
        raise EnvironmentLacksError(f"{command[0]} failed; its last lines:\n{outcome.last_lines}")


def _end_group(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    # The leader may have gone before its children: the group is ended either way.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
