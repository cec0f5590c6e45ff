# SPDX-License-Identifier: Apache-2.0
"""The board that a tune's tries are booted on, and its description in the run."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from perfboard.model.results.boot import Boot
from perfboard.model.run import BoardSummary, Evidence, Metric, RunError
from perfboard.store.folder import RunFolder
from perfboard.studies.tune.pool import Make, Note
from perfboard.studies.tune.sweep import Sweep


@dataclass(frozen=True)
class Proof:
    """The best's own boots, errors that they showed, and more for the run.

    `metrics` and `notes` go to the run as they are.
    """

    boots: tuple[Boot, ...] = ()
    errors: tuple[RunError, ...] = ()
    metrics: tuple[Metric, ...] = ()
    notes: tuple[str, ...] = ()


class TuneBench(Protocol):
    """A board, virtual or real, that images of combinations are booted on."""

    name: str
    target: str
    evidence: Evidence
    tools: Mapping[str, str]

    def making(self, note: Note) -> AbstractContextManager[Make]:
        """The context of a function that makes the tries; `note` gets, from any thread, the work at
        hand."""

    def prove(self, sweep: Sweep, folder: RunFolder) -> Proof:
        """Boots the best once more, its artifacts in the folder's `boot-1`.

        Raises as a try does that ends the tune.
        """

    def summary(self) -> BoardSummary:
        """The board, asked when the last boot has ended."""

    def notes(self) -> tuple[str, ...]:
        """Notes for the reader of the results."""
