# SPDX-License-Identifier: Apache-2.0
"""A virtual board's figures and those that were published of the real board."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from perfboard.analysis.boot.phase_time import phase_names
from perfboard.analysis.verify.parameters import PartParameter
from perfboard.analysis.verify.reach import SIZE, TRIED, named, size_of
from perfboard.model.published import BEYOND_L1, PublishedValue
from perfboard.model.run import Metric
from perfboard.model.timed_as import StatedMargin, error_of
from perfboard.model.units import parse_size
from perfboard.model.work import Work, work_of

# The metric that a figure is computed from, if the study does not have it directly.
_DERIVED = {BEYOND_L1: "memory.random"}


@dataclass(frozen=True)
class Claim:
    """A published figure, and the virtual board's, or None where that was not measured.

    `within` says whether it lies within the stated margin; None for a row that is not held
    out, which says nothing of the model's accuracy, and where the model leaves the metric out, so
    that `modelled` is false. `problem` is why a program gave none.
    `scaled_by` is the factor of the virtual figure, if the published one has a scale. `host_s` are
    this machine's seconds for its program's run; None for a row of none.
    """

    published: PublishedValue
    virtual: float | None
    within: bool | None
    problem: str = ""
    scaled_by: float | None = None
    modelled: bool = True
    host_s: float | None = None

    @property
    def ratio(self) -> float | None:
        """The virtual figure over the published one."""
        return None if self.virtual is None else self.virtual / self.published.value


@dataclass(frozen=True)
class Accuracy:
    """How far `rows` held-out figures are off, as shares of the published ones."""

    rows: int
    mean: float
    worst: float


@dataclass(frozen=True)
class Verification:
    """The rows as the board file has them; `accuracy` by those held out; the runs made.

    `parameters` are what the board file says of its part, and what the probes see. `kernel` is
    the virtual board's package of Linux's source; "" for a kernel of the user's own. `margins` are
    those that runs of the board state, by class of work, by the ratios in the board files, and
    `found` those by the ratios of this time. `source` says what both rest on. If it was
    `interrupted`, the rows after that have no figure.
    """

    board: str
    part: str
    margins: Mapping[str, StatedMargin]
    found: Mapping[str, StatedMargin]
    source: str
    rows: tuple[Claim, ...]
    accuracy: Accuracy | None
    runs: tuple[str, ...]
    parameters: tuple[PartParameter, ...] = ()
    kernel: str = ""
    interrupted: bool = False


def row_of(
    figure: PublishedValue, virtual: float | None, margin: float | None, problem: str = ""
) -> Claim:
    """The row of one published figure; `margin` is None where none is stated."""
    within = None
    if figure.use == "held-out" and virtual is not None and margin is not None:
        within = error_of(virtual / figure.value) <= margin
    return Claim(figure, virtual, within, problem)


def accuracy(rows: Iterable[Claim], use: str = "held-out") -> Accuracy | None:
    """The accuracy by the rows of that use alone, or None where none was measured."""
    errors = [
        abs(row.ratio - 1)
        for row in rows
        if row.published.use == use and row.modelled and row.ratio is not None
    ]
    if not errors:
        return None
    return Accuracy(len(errors), statistics.mean(errors), max(errors))


def by_work(rows: Iterable[Claim]) -> dict[Work, Accuracy]:
    """The accuracy of each class of work, by its rows that set no parameter."""
    errors: dict[Work, list[float]] = {}
    for row in rows:
        work = work_of(row.published.metric)
        if work and row.published.use != "calibration" and row.ratio is not None:
            errors.setdefault(work, []).append(abs(row.ratio - 1))
    return {
        work: Accuracy(len(found), statistics.mean(found), max(found))
        for work, found in errors.items()
    }


def measured(
    metrics: Sequence[Metric], figure: PublishedValue, less: Sequence[Metric] = ()
) -> float | None:
    """The metrics' value for a published figure; None if they lack it.

    Labels that the figure does not name are free: the best of those metrics counts, as with
    benchmarks that try several loops. If it names no size, the largest counts.
    `memory.random.beyond_l1` is the time of a random read in that size less one in the smallest, as
    tinymembench has it. For a saving, `less` is the metric that is subtracted.
    """
    value = _value(metrics, figure)
    if figure.less and value is not None:
        rest = _value(less, figure)
        value = None if rest is None else value - rest
    if figure.scale and value is not None:
        by = scale_of(metrics, figure)
        value = value * by if by else None
    return value


def scale_of(metrics: Sequence[Metric], figure: PublishedValue) -> float | None:
    """The factor of a virtual figure, as for a kernel of another size; None without."""
    ours = _only(metrics, figure.scale.metric) if figure.scale else None
    return figure.scale.value / ours if figure.scale and ours else None


def _value(metrics: Sequence[Metric], figure: PublishedValue) -> float | None:
    if "+" in figure.metric:
        parts = [_only(metrics, name) for name in phase_names(figure.metric)]
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None
    if figure.metric == BEYOND_L1:
        return _beyond_least(metrics, int(_plain(SIZE, figure.labels[SIZE])))
    labels = {key: _plain(key, value) for key, value in figure.labels.items()}
    found = [
        metric
        for metric in metrics
        if metric.name == figure.metric
        and metric.samples
        and all(metric.labels.get(key) == value for key, value in labels.items())
    ]
    if SIZE not in labels:
        largest = max((size_of(metric) for metric in found), default=0)
        found = [metric for metric in found if size_of(metric) == largest]
    values = [statistics.median(metric.samples) for metric in found]
    if not values:
        return None
    return max(values) if found[0].better == "higher" else min(values)


def probes_for(figures: Iterable[PublishedValue], probes: Mapping[str, Iterable[str]]) -> list[str]:
    """Those of the probes, each with its metrics, that measure what the figures are of.

    If several measure one metric, it is the one with the metric's name.
    """
    metrics = {_DERIVED.get(f.metric, f.metric) for f in figures if f.program is None}
    by = {metric: name for name, own in probes.items() for metric in own}
    return sorted({metric if metric in probes else by.get(metric, metric) for metric in metrics})


def checked_ranges(figures: Iterable[PublishedValue]) -> dict[str, tuple[int, int] | None]:
    """The metrics that there are figures of, with the least and the greatest size of those.

    If figures are of one operation or method, that stands after the metric's name. A metric
    without sizes has None. With whole programs, the metrics of `perfboard try` are checked.
    """
    found: dict[str, tuple[int, int] | None] = {}
    for figure in figures:
        if "+" in figure.metric:
            found |= {name: None for name in phase_names(figure.metric) if name not in found}
            continue
        metric = _DERIVED.get(figure.metric, figure.metric)
        name = TRIED if figure.program else named(metric, figure.labels)
        before = found.setdefault(name, None)
        if SIZE in figure.labels:
            size = parse_size(figure.labels[SIZE])
            low, high = before or (size, size)
            found[name] = (min(low, size), max(high, size))
    return found


def _only(metrics: Iterable[Metric], name: str) -> float | None:
    found = next((metric for metric in metrics if metric.name == name and metric.samples), None)
    return None if found is None else statistics.median(found.samples)


def _beyond_least(metrics: Iterable[Metric], size: int) -> float | None:
    medians = {
        size_of(metric): statistics.median(metric.samples)
        for metric in metrics
        if metric.name == _DERIVED[BEYOND_L1] and metric.samples
    }
    if size not in medians:
        return None
    return medians[size] - medians[min(medians)]


def _plain(key: str, value: str) -> str:
    return str(parse_size(value)) if key == SIZE else value
