# SPDX-License-Identifier: Apache-2.0
"""How long work tells whoever waits for it how far it is."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Step(Protocol):
    """One piece of work under way."""

    def update(self, done: float, note: str = "") -> None:
        """`done` of the step's total is finished; `note` says what is being done.

        A second line of the note stands below the first, and may change often.
        """


class Progress(Protocol):
    """Shows steps as bars with the time left, or not at all."""

    def step(self, title: str, total: float) -> AbstractContextManager[Step]:
        """A step of `total` units of work, in whatever unit `update` counts; inf: unknown."""


class _SilentStep:
    def update(self, done: float, note: str = "") -> None:
        """Shows nothing."""


class SilentProgress:
    """A Progress that shows nothing, for libraries and tests."""

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        """A step that shows nothing."""
        yield _SilentStep()
