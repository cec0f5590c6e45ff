# SPDX-License-Identifier: Apache-2.0
"""Runs a tool that reads a stranger's file: in a process of its own, with bounds."""

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from perfboard.host.scratch import temporary_folder
from perfboard.model.errors import EnvironmentLacksError, UsageError

_MEMORY = 1 << 30
_SECONDS = 120
_LONGEST_LINE = 1 << 16
_LAST = 400


@contextmanager
def tool_lines(
    command: Sequence[str], package: str, most_bytes: int, read: Path
) -> Iterator[Iterator[bytes]]:
    """The lines that a tool prints of the file `read`, of at most `most_bytes` in all.

    It may use 1 GB and two minutes of a processor, and is ended with the block. Raises
    EnvironmentLacksError that names its Debian `package` if it is missing, and UsageError if it
    fails or prints too much.
    """
    if shutil.which(command[0]) is None:
        raise EnvironmentLacksError(
            f"{read}: {command[0]} reads such files, and is not on this machine; on Debian: "
            f"sudo apt-get install {package}"
        )
    with TemporaryFile(dir=temporary_folder()) as errors:
        process = subprocess.Popen(
            [*command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=temporary_folder(),
            env={**os.environ, "LC_ALL": "C"},
            start_new_session=True,
            preexec_fn=_bound,
        )
        try:
            yield _lines(process, command[0], most_bytes, read)
            if process.wait(timeout=_SECONDS):
                errors.seek(0)
                words = errors.read(1 << 16).decode("utf-8", "replace").split()
                raise UsageError(f"{read}: {command[0]} cannot read it: {' '.join(words)[-_LAST:]}")
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"{read}: {command[0]} did not end within {_SECONDS} s") from error
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if process.stdout:
                process.stdout.close()


def _lines(
    process: "subprocess.Popen[bytes]", name: str, most_bytes: int, read: Path
) -> Iterator[bytes]:
    left = most_bytes
    while process.stdout and (line := process.stdout.readline(_LONGEST_LINE)):
        left -= len(line)
        if left < 0:
            raise UsageError(
                f"{read}: {name} prints more than {most_bytes >> 20} MiB of it; cut the boot out"
            )
        yield line


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
