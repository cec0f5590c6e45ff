# SPDX-License-Identifier: Apache-2.0
"""Runs a long command so that its output can be followed and nothing outlives it."""

import errno
import os
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from perfboard.host.files.scratch import temporary_folder
from perfboard.host.programs.children import guarded
from perfboard.host.programs.environment import environment_of_programs
from perfboard.model.errors import BuildError, EnvironmentLacksError
from perfboard.model.units import format_size

_LAST_LINES = 15
# The words of a program that lacks something of this machine, not always its last ones.
_LACKS = (
    *(os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EIO)),
    "Killed signal terminated program",
)
# A tool may have removed the file that it was writing when the disk was full.
_ROOM = 16 << 20


@dataclass(frozen=True)
class CommandOutcome:
    """How a command ended: its exit code, and the last lines that it printed.

    `lacks` is a line that says what this machine had too little of, or "".
    """

    code: int
    last_lines: str
    lacks: str = ""


def follow(
    command: Sequence[str],
    on_line: Callable[[str], bool],
    *,
    folder: Path,
    variables: Mapping[str, str] | None = None,
    log: IO[str] | None = None,
    grace_s: float = 5.0,
) -> CommandOutcome:
    """Runs `command` in `folder` and calls `on_line` for each line that it prints.

    `on_line` says whether the line was only meant for it: such lines are left
    out of the last lines and of `log`. `variables` are added to the environment.
    The command gets a process group of its own, which is ended whole if anything,
    Ctrl-C too, comes in between: after `grace_s` by force. It ends as well if Perfboard is killed.
    """
    last: deque[str] = deque(maxlen=_LAST_LINES)
    lacks = ""
    with guarded(
        command,
        grace_s,
        cwd=folder,
        env={**environment_of_programs(), "LC_ALL": "C", **(variables or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            if any(words in line for words in _LACKS):
                lacks = line.strip()
            if on_line(line):
                continue
            last.append(line.rstrip())
            if log is not None:
                log.write(line)
        code = process.wait()
    return CommandOutcome(code, "\n".join(last), lacks)


def run_tool(command: Sequence[str], folder: Path) -> None:
    """Runs a command in `folder`; raises as `failure` says where it fails."""
    outcome = follow(command, lambda line: False, folder=folder)
    if outcome.code:
        raise failure(f"{command[0]} failed", outcome, folder)


def version_of(program: str) -> str:
    """The first line that a program prints of its version."""
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return shown.stdout.splitlines()[0]


def failure(what: str, outcome: CommandOutcome, folder: Path) -> EnvironmentLacksError:
    """The error of a command that failed in `folder`, by whose fault it is.

    A BuildError where it is that of what the command was given. `what` is the beginning of the
    message.
    """
    output = f"its last lines:\n{outcome.last_lines}"
    if outcome.lacks:
        return EnvironmentLacksError(
            f"{what} for lack of this machine: {outcome.lacks}\nGive it what it lacks, and run "
            f"it again; {output}"
        )
    if outcome.code == -signal.SIGKILL:
        return EnvironmentLacksError(
            f"{what}: it was killed, as for lack of memory; free some, and run it again; {output}"
        )
    for place in (folder, temporary_folder()):
        free = shutil.disk_usage(place).free
        if free < _ROOM:
            return EnvironmentLacksError(
                f"{what}, with {format_size(free)} left on the disk of {place}; make room there, "
                f"and run it again; {output}"
            )
    return BuildError(f"{what}; {output}")
