# SPDX-License-Identifier: Apache-2.0
"""The rows of a guide: one for each figure, or for what could not be had."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from perfboard.model.results.guide import GuideResult
from perfboard.model.results.measures import Measurement, MeasuresResult
from perfboard.model.results.published import PublishedResult
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_between, parse_size
from perfboard.report.words.evidence import not_modelled
from perfboard.report.words.figures import MedianLine, figure, figure_name, quantity

# As many stand for a measure without figures of its own.
_FIRST = 3
_SIZE = "size"
# The headings of a document's tables.
COLUMNS = (
    "area",
    "row",
    "median",
    "interval",
    "least",
    "greatest",
    "samples",
    "published",
    "times it",
    "conditions",
    "limited by",
    "why not",
)


@dataclass(frozen=True)
class GuideRow:
    """A figure of the guide, or a measure without one, for the `reason`.

    `line` is None for a metric that is known only between two values. `conditions` are the
    parameters. If it is `chief`, it stands for its measure where there is no room for all.
    """

    area: str
    measure: str
    metric: Metric | None = None
    line: MedianLine | None = None
    limit: str = ""
    conditions: str = ""
    reason: str = ""
    published: float | None = None
    source: str = ""
    chief: bool = False
    mark: str = ""

    @property
    def name(self) -> str:
        """The metric with its labels, or the measure."""
        return (figure_name(self.metric) if self.metric else self.measure) + self.mark

    @property
    def median(self) -> str:
        """The median with its unit, or what it is between."""
        if self.line:
            return self.line.value(self.line.estimate.median)
        if self.metric and self.metric.between:
            return format_between(*self.metric.between, self.metric.unit)
        return "not measured"

    @property
    def interval(self) -> str:
        """Half of the interval as a share of the median, or ""."""
        half = self.line.half_width if self.line else ""
        return half and f"\N{PLUS-MINUS SIGN}{half}"

    @property
    def extremes(self) -> tuple[str, str]:
        """The least and the greatest sample; "" where there are none."""
        if not (self.metric and self.metric.samples):
            return "", ""
        values = min(self.metric.samples), max(self.metric.samples)
        low, high = (quantity(each, self.metric.unit) for each in values)
        return low, high

    @property
    def samples(self) -> str:
        """How many samples there are."""
        return str(len(self.metric.samples)) if self.metric and self.metric.samples else ""

    @property
    def theirs(self) -> str:
        """The published figure, or ""."""
        if self.published is None or self.metric is None:
            return ""
        return quantity(self.published, self.metric.unit)


def guide_rows(run: Run, result: GuideResult) -> list[GuideRow]:
    """The rows of the guide, in its order."""
    measured = [each for one in run.results_of(MeasuresResult) for each in one.measurements]
    by_place: dict[int, list[Metric]] = {}
    for metric in run.metrics:
        if metric.measurement is not None and metric.extent:
            by_place.setdefault(metric.measurement, []).append(metric)
    known = published_of(run)
    return [
        row
        for area in result.areas
        for place in area.rows
        if place < len(measured)
        for row in _rows(run, area.title, measured[place], by_place.get(place, []), known)
    ]


def row_cells(row: GuideRow) -> tuple[str, ...]:
    """The cells of a row below COLUMNS."""
    times = ""
    if row.published and row.line:
        times = f"{row.line.estimate.median / row.published:.2f}"
    return (
        row.area,
        row.name,
        row.median,
        row.interval,
        *row.extremes,
        row.samples,
        row.theirs,
        times,
        row.conditions,
        row.limit,
        row.reason,
    )


def published_of(run: Run) -> dict[str, tuple[float, str]]:
    """The figures that were published of the run's metrics, with their sources, by their names."""
    return {
        _key(row.metric, row.labels): (row.published, row.source)
        for result in run.results_of(PublishedResult)
        for row in result.rows
    }


def _rows(
    run: Run,
    area: str,
    measured: Measurement,
    metrics: Sequence[Metric],
    known: Mapping[str, tuple[float, str]],
) -> Iterator[GuideRow]:
    conditions = ", ".join(
        f"{name}={_written(value)}"
        for name, value in measured.parameters.items()
        if value not in ("", False, 0) and name != "seconds"
    )
    chief = _chief(measured, metrics)
    for metric in metrics:
        line = figure(metric, run.evidence) if metric.samples else None
        value, source = known.get(_key(metric.name, metric.labels), (None, ""))
        yield GuideRow(
            area,
            measured.measure,
            metric,
            line,
            measured.limit,
            conditions,
            published=value,
            source=source,
            chief=metric in chief,
            mark=not_modelled(run, metric.name),
        )
    if measured.reason or not metrics:
        reason = measured.reason.rstrip(".") or "it gave no figure"
        yield GuideRow(area, measured.measure, conditions=conditions, reason=reason, chief=True)


def _chief(measured: Measurement, metrics: Sequence[Metric]) -> list[Metric]:
    """The figures of the first screen; or else of each name the one of the largest size."""
    shown = {_key(each.metric, each.labels) for each in measured.figures}
    own = [metric for metric in metrics if _key(metric.name, metric.labels) in shown]
    if own:
        return own
    by_name: dict[str, Metric] = {}
    for metric in metrics:
        before = by_name.setdefault(metric.name, metric)
        if _size(metric) > _size(before):
            by_name[metric.name] = metric
    return list(by_name.values())[:_FIRST]


def _size(metric: Metric) -> int:
    try:
        return parse_size(metric.labels.get(_SIZE, "0"))
    except ValueError:
        return 0


def _key(metric: str, labels: Mapping[str, str]) -> str:
    return f"{metric} {sorted(labels.items())}"


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
