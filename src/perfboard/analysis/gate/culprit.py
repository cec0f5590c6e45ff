# SPDX-License-Identifier: Apache-2.0
"""The result of a bisection: the commit that made a board slower."""

from dataclasses import dataclass
from typing import Literal

from perfboard.analysis.gate.judge import Judgement
from perfboard.model.commit import Commit


@dataclass(frozen=True)
class CommitRun:
    """A commit that was built and booted: its figure, or the `reason` why there is none."""

    commit: Commit
    value: float | None
    verdict: Literal["good", "bad", "skip"]
    run: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Culprit:
    """The `first` bad commits, one if it is known, and all that were tried, in their order.

    `judgement` holds the first bad commit against a good one before it; None if several are left.
    """

    metric: str
    unit: str
    first: tuple[Commit, ...]
    tried: tuple[CommitRun, ...]
    judgement: Judgement | None
