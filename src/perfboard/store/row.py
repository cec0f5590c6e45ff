# SPDX-License-Identifier: Apache-2.0
"""A run as the list of runs has it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class RunRow:
    """One run in the list of runs.

    `status` is that of the run, or `broken` for a folder that cannot be read,
    `unfinished` for one that was interrupted, `running` for one under way; `reason`
    says more of these, and of a start in the future. `number` is its place among the runs of its
    store, 0 of older runs. `id` is the folder's name. `median` is that of the samples of the metric
    `headline`, in `unit`: of the run's own, or of the first figure of its measures. One without
    samples is `between` two values, None: there is no bound.
    """

    id: str
    path: Path
    status: str
    study: str = ""
    board: str = ""
    evidence: str = ""
    started: datetime | None = None
    headline: str = ""
    unit: str = ""
    median: float | None = None
    between: tuple[float, float | None] | None = None
    reason: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    number: int = 0
