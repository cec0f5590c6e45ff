# SPDX-License-Identifier: Apache-2.0
"""The protocol of what runs workloads, and what both kinds of it give a script."""

from collections.abc import Callable
from typing import Protocol

from perfboard.bench.job import Work
from perfboard.model.progress import Step
from perfboard.store.recording import Subject

# The board's time so far, in s.
Notify = Callable[[float], None]


def shown(step: Step) -> Notify:
    """Tells it how long the board has run: nobody knows how long it will."""
    return lambda now_s: step.update(now_s, f"{now_s:.0f} s of the board's time")


class Bench(Protocol):
    """Runs what a workload plans."""

    def run(self, name: str, work: Work, notify: Notify) -> str:
        """The script's output. Raises NotMeasurable for what the target does not have or do.

        The instruments' files go to the folder `name` of the run's artifacts.
        """

    def subject(self) -> Subject:
        """The board and target, as the head of the run names them."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the target."""

    @property
    def repeats(self) -> int:
        """How often a workload measures each thing here."""
