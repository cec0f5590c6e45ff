# SPDX-License-Identifier: Apache-2.0
"""This machine itself."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from perfboard.model.errors import TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Evidence
from perfboard.targets.base import Target, refuse_factors
from perfboard.targets.pipe.process import Process
from perfboard.targets.pipe.shell import PipeShell

SCHEME = "local"
FORM = "local"


def _ended(errors: str) -> TargetError:
    return TargetError("lost", f"The program on this machine has ended. {errors.strip()[-500:]}")


@contextmanager
def connect(
    text: str, progress: Progress, artifacts: Path | None, factors: Mapping[str, str]
) -> Iterator[Target]:
    refuse_factors(text, factors)
    if text != SCHEME:
        raise UsageError(f'"{text}" is no target; this machine is just "{FORM}".')
    session = Process(["/bin/sh"], _ended, tidies=True)
    try:
        shell = PipeShell(lambda script: ["/bin/sh", "-c", script], _ended, session)
        yield Target(text, Evidence.HOST, shell)
    finally:
        session.close()
