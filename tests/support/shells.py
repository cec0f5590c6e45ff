# SPDX-License-Identifier: Apache-2.0
"""A target's shell that only says what a test has it say."""

from collections.abc import Iterator
from contextlib import contextmanager

from perfboard.model.progress import Progress
from perfboard.targets.base import Channel, Reply


class SayingShell:
    """See `targets.base.Shell`. `scripts` are those that it was given."""

    def __init__(self, *outputs: str) -> None:
        """`outputs` are what the scripts print, one after the other; the last one stays."""
        self._outputs = list(outputs) or [""]
        self.scripts: list[str] = []

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        self.scripts.append(script)
        more = len(self._outputs) > 1
        return Reply(0, self._outputs.pop(0) if more else self._outputs[0])

    @contextmanager
    def hold(self, script: str, afterwards: str) -> Iterator[Reply]:
        yield self.run(script)
        self.run(afterwards)

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        raise NotImplementedError

    def start(self, script: str) -> Channel:
        raise NotImplementedError
