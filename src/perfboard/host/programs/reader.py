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
from typing import IO

from perfboard.host.files.scratch import temporary_folder
from perfboard.host.programs.children import guarded
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

    Raises EnvironmentLacksError that names its Debian `package` if it is missing, and what
    `tool_output` does.
    """
    if shutil.which(command[0]) is None:
        raise EnvironmentLacksError(
            f"{read}: {command[0]} reads such files, and is not on this machine; on Debian: "
            f"sudo apt-get install {package}"
        )
    with tool_output(command, command[0], read) as stream:
        yield _lines(stream, command[0], most_bytes, read)


@contextmanager
def tool_output(command: Sequence[str], name: str, read: Path) -> Iterator[IO[bytes]]:
    """The output of the tool `name`, which reads the file `read`.

    It may use 1 GB and two minutes of a processor, and is ended with the block. Raises UsageError
    if it fails.
    """
    with (
        TemporaryFile(dir=temporary_folder()) as errors,
        guarded(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=temporary_folder(),
            # A library of threads takes memory for each.
            env={**os.environ, "LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=_bound,
        ) as process,
    ):
        try:
            if process.stdout:
                yield process.stdout
            if process.wait(timeout=_SECONDS):
                errors.seek(0)
                words = " ".join(errors.read(1 << 16).decode("utf-8", "replace").split())
                why = words[-_LAST:] or "it said nothing"
                raise UsageError(f"{read}: {name} cannot read it: {why}")
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"{read}: {name} did not end within {_SECONDS} s") from error
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if process.stdout:
                process.stdout.close()


def _lines(stream: IO[bytes], name: str, most_bytes: int, read: Path) -> Iterator[bytes]:
    left = most_bytes
    while line := stream.readline(_LONGEST_LINE):
        left -= len(line)
        if left < 0:
            raise UsageError(
                f"{read}: {name} prints more than {most_bytes >> 20} MiB of it; cut the boot out"
            )
        yield line


def _bound() -> None:
    bounds = {resource.RLIMIT_AS: _MEMORY, resource.RLIMIT_CPU: _SECONDS, resource.RLIMIT_CORE: 0}
    for kind, most in bounds.items():
        _, hard = resource.getrlimit(kind)
        # An ordinary user may not raise a limit that is lower.
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
