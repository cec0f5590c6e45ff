# SPDX-License-Identifier: Apache-2.0
"""A metric over the stored runs, and the changes in it."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import pairwise

from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.statistics.steps import segments
from perfboard.analysis.statistics.summary import REPEATS
from perfboard.model.errors import UsageError
from perfboard.model.results.program import ProgramResult
from perfboard.model.run import Evidence, Metric, Run
from perfboard.store.reading import load_run
from perfboard.store.row import RunRow

# A change of real boards is confirmed by this number of runs; virtual boards repeat.
CONFIRMED = 3
# A change's least share of the value before it.
LEAST = 0.005
# The newest runs in which changes are sought: the time for it grows with the square.
MOST = 500


@dataclass(frozen=True)
class SeriesKind:
    """Runs of one kind make a series; each of `factors` is FACTOR=LEVEL."""

    board: str
    study: str
    evidence: str
    factors: tuple[str, ...]
    command: str


@dataclass(frozen=True)
class SeriesPoint:
    """One run's value of a metric: the median of its samples.

    `place` is the run's among all of the series, from the oldest on.
    """

    run: str
    place: int
    started: datetime
    value: float
    tags: dict[str, str]


@dataclass(frozen=True)
class SeriesChange:
    """The value changed from `before` to `after`: between the runs `last` and `first`."""

    before: float
    after: float
    last: SeriesPoint
    first: SeriesPoint


@dataclass(frozen=True)
class MetricSeries:
    """The values of a metric over the runs of a kind, the oldest first, and their changes."""

    kind: SeriesKind
    metric: str
    unit: str
    better: str
    points: tuple[SeriesPoint, ...]
    steps: tuple[SeriesChange, ...]


def load_runs(
    rows: Iterable[RunRow], unread: Callable[[RunRow], object] = lambda row: None
) -> Iterator[Run]:
    """The complete runs of `rows`, which are the newest first, from the oldest on.

    One that broke since it was listed is left out, and `unread` gets its row.
    """
    for row in reversed(list(rows)):
        if row.status == "complete":
            try:
                yield load_run(row.path)
            except UsageError as error:
                unread(replace(row, status="broken", reason=str(error)))


def headline_of(run: Run) -> tuple[str, ...]:
    """The pattern of a run's headline, if it has one."""
    return (run.headline,) if run.headline else ()


def series_of(
    runs: Iterable[Run], patterns_of: Callable[[Run], Sequence[str]] = headline_of
) -> list[MetricSeries]:
    """The series of the metrics that match one of the patterns for their run."""
    points: dict[tuple[SeriesKind, str, str, str], list[SeriesPoint]] = {}
    for place, run in enumerate(runs):
        kind = kind_of(run)
        for metric in _chosen(run, patterns_of(run)):
            value = statistics.median(metric.samples)
            key = kind, label_name(metric), metric.unit, metric.better
            point = SeriesPoint(run.id, place, run.started, value, dict(run.tags))
            points.setdefault(key, []).append(point)
    return [
        MetricSeries(kind, name, unit, better, tuple(found), tuple(_steps(kind, found)))
        for (kind, name, unit, better), found in points.items()
    ]


def kind_of(run: Run) -> SeriesKind:
    """The kind of a run: what has to be the same for two to be held against each other."""
    return SeriesKind(
        board=run.board.name,
        study=run.study,
        evidence=run.evidence.value,
        factors=tuple(f"{name}={level}" for name, level in sorted(run.factors.items())),
        command="; ".join(" ".join(each.command) for each in run.results_of(ProgramResult)),
    )


def _chosen(run: Run, patterns: Sequence[str]) -> list[Metric]:
    def matches(metric: Metric) -> bool:
        names = (metric.name, label_name(metric))
        return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)

    return [metric for metric in run.metrics if metric.samples and matches(metric)]


def _steps(kind: SeriesKind, points: Sequence[SeriesPoint]) -> Iterator[SeriesChange]:
    newest = points[-MOST:]
    fewest = 1 if Evidence(kind.evidence) in REPEATS else CONFIRMED
    levels = segments([point.value for point in newest], fewest, LEAST)
    for one, two in pairwise(levels):
        yield SeriesChange(one.level, two.level, newest[two.start - 1], newest[two.start])
