# SPDX-License-Identifier: Apache-2.0
"""What a boot study boots, and what its run says of that."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from perfboard.model.progress import Progress
from perfboard.model.run import BoardSummary, Boot, Evidence, Metric
from perfboard.store.folder import RunFolder


@dataclass(frozen=True)
class Subject:
    """A board, virtual or real, that can be booted from reset.

    `boots` makes so many, one after the other as they end, and leaves their artifacts in the
    folder; it raises PerfboardError where one fails. `summary` is asked after the last. The
    total is held against `budget_s`, if any, each side of which `margin` is its share.
    `metrics`, `tools`, `image`, `packages` and `notes` go to the run as they are.
    """

    name: str
    target: str
    evidence: Evidence
    boots: Callable[[int, RunFolder, Progress], Iterator[Boot]]
    summary: Callable[[], BoardSummary]
    levels: Mapping[str, str] = field(default_factory=dict)
    budget_s: float | None = None
    margin: float = 0.0
    metrics: tuple[Metric, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict)
    image: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
