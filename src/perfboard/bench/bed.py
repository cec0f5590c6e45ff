# SPDX-License-Identifier: Apache-2.0
"""The board as a row is given it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from perfboard.bench.job import Work
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.results.boot import Boot
from perfboard.model.run import Evidence
from perfboard.targets.base import Target


@dataclass(frozen=True)
class Bed:
    """The board as a row is given it.

    `run` runs the work on the target, in a folder of its own, and returns what it printed; it
    raises NotMeasurable. `ram` is in bytes. `folder` is where the user wants files on the target,
    or "". `quick` spares flash. `repeats` is how often each thing is measured: once where it
    repeats exactly. One of `live` and `board` is None. `boot` boots a virtual board's own image
    with levels in place of its own; it raises UsageError for those that it cannot have, and
    NotMeasurable.
    """

    run: Callable[[Work], str]
    evidence: Evidence
    ram: int
    repeats: int
    quick: bool = False
    folder: str = ""
    live: Target | None = None
    board: VirtualBoard | None = None
    boot: Callable[[Mapping[str, str]], Boot] | None = None
