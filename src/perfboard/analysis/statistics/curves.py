# SPDX-License-Identifier: Apache-2.0
"""Metrics that differ in one label alone, put in order along it: the curves of a run."""

import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from perfboard.analysis.statistics.bootstrap import estimate, process_medians
from perfboard.model.run import Metric

# A whole number above 0 that 64 bits hold.
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Curve:
    """`metrics` along a label, each with the label's number; `labels` are those they share."""

    labels: Mapping[str, str]
    metrics: tuple[tuple[int, Metric], ...]

    @cached_property
    def points(self) -> tuple[tuple[int, float], ...]:
        """The label's numbers, and for each the median of the processes' medians."""
        return tuple((x, middle_of(metric)) for x, metric in self.metrics)

    @cached_property
    def best(self) -> tuple[tuple[int, float], ...]:
        """The label's numbers, and for each the best of the processes' medians."""
        return tuple((x, estimate(metric).best) for x, metric in self.metrics)


def middle_of(metric: Metric) -> float:
    """The median of the processes' medians. Raises StatisticsError without samples."""
    return statistics.median(process_medians(metric))


def curves(metrics: Iterable[Metric], name: str, along: str) -> tuple[Curve, ...]:
    """The curves of the metric `name` along the label `along`, as first recorded.

    Metrics without samples, and those whose label is no whole number above 0, are in none.
    """
    found: dict[tuple[tuple[str, str], ...], dict[int, Metric]] = {}
    for metric in metrics:
        number = metric.labels.get(along, "")
        if metric.name != name or not metric.samples or not _NUMBER.fullmatch(number):
            continue
        shared = tuple(sorted((k, v) for k, v in metric.labels.items() if k != along))
        found.setdefault(shared, {})[int(number)] = metric
    return tuple(Curve(dict(key), tuple(sorted(of.items()))) for key, of in found.items())


def cache_curve(metrics: Iterable[Metric]) -> tuple[tuple[int, float], ...]:
    """Sizes in bytes and latencies in s in which the caches show best.

    That is the random walk, which no prefetcher follows: over huge pages or small ones, whichever
    is faster at a size, and the best of the processes. The TLB, and others that use the caches,
    only ever make a read slower.
    """
    least: dict[int, float] = {}
    for curve in curves(metrics, "memory.latency", "size"):
        if curve.labels.get("walk") == "random":
            for size, latency in curve.best:
                least[size] = min(latency, least.get(size, latency))
    return tuple(sorted(least.items()))
