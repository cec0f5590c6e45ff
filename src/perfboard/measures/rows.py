# SPDX-License-Identifier: Apache-2.0
"""The protocol of a row of the bring-up, and what a row is given."""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import mean
from typing import Protocol

import perfboard.measures
from perfboard.bench.bed import Bed
from perfboard.model.run import Evidence, Metric

# In this order, rows stand in a report.
SUBJECTS = ("disk", "network", "memory", "boot")
# The first of its subject, by which the report answers.
_FIRST = ("disk.sequential", "network.tcp")
# A processor that is busy for this share of the time is what limits; below the other, a wait.
BUSY, WAITING = 0.9, 0.5


@dataclass(frozen=True)
class Figure:
    """A figure of the first screen: its words, its metric, and the processor's share, if known."""

    title: str
    metric: Metric
    busy: Metric | None = None


@dataclass(frozen=True)
class Answer:
    """The findings of a row. `short`, `limit` and `sentence` are those of `BringupRow`."""

    metrics: tuple[Metric, ...]
    figures: tuple[Figure, ...]
    short: str
    limit: str = ""
    sentence: str = ""
    notes: tuple[str, ...] = ()


class Row(Protocol):
    """Measures one part of a board. A module in this folder has one or more, as ROWS."""

    @property
    def name(self) -> str:
        """Its name, as in "disk.sequential": the subject, then the row."""

    @property
    def title(self) -> str:
        """The measured thing, in a few words."""

    @property
    def features(self) -> tuple[str, ...]:
        """The features of a virtual board's kernel that it wants (`try --feature`)."""

    @property
    def metrics(self) -> Mapping[str, str]:
        """The names of its metrics, each with its meaning."""

    def writes(self, bed: Bed) -> int:
        """The most bytes that it writes to the target's disk."""

    def measure(self, bed: Bed) -> Answer:
        """Measures it, in about 30 s of the board's time. Raises NotMeasurable."""


@cache
def all_rows() -> dict[str, Row]:
    """The rows by name, in the order of a report: by subject, then by module."""
    folder = perfboard.measures
    modules = (
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}.")
    )
    rows = [row for module in modules for row in getattr(module, "ROWS", ())]
    rows.sort(key=lambda row: (SUBJECTS.index(subject_of(row)), row.name not in _FIRST))
    return {row.name: row for row in rows}


def rated(
    name: str,
    labels: Mapping[str, str],
    rates: Iterable[float],
    shares: Iterable[float],
    *,
    operations: bool = False,
) -> tuple[Metric, Metric]:
    """NAME.bandwidth, or of `operations` NAME.operations; and NAME.busy, the processor's shares."""
    given = dict(labels)
    rate = Metric(
        name=f"{name}.{'operations' if operations else 'bandwidth'}",
        unit="1/s" if operations else "B/s",
        better="higher",
        labels=given,
        samples=tuple(rates),
    )
    return rate, Metric(name=f"{name}.busy", unit="1", labels=given, samples=tuple(shares))


def subject_of(row: Row) -> str:
    """One of `SUBJECTS`."""
    return row.name.partition(".")[0]


def limit_of(busy: Metric | None, evidence: Evidence, waits_for: str) -> str:
    """The cause that holds the board back, by the processor's share; "" where that is unclear.

    `waits_for` names what else it can be.
    """
    if busy is None or not busy.samples:
        return ""
    share = mean(busy.samples)
    if share >= BUSY:
        return f"the processor, busy for {share:.0%} of the time"
    # On a live target others may have had the processor.
    if share <= WAITING or evidence is Evidence.TIMED:
        return f"{waits_for}; the processor is busy for {share:.0%}"
    return f"{waits_for} and the processor, busy for {share:.0%}"
