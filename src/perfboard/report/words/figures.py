# SPDX-License-Identifier: Apache-2.0
"""Metrics as figures: their estimate, its interval, names and labels in words."""

import re
from dataclasses import dataclass

from perfboard.analysis.compare.changes import RunChange
from perfboard.analysis.statistics.bootstrap import Estimate, estimate, process_medians
from perfboard.analysis.statistics.outliers import odd_samples
from perfboard.analysis.statistics.summary import REPEATS, Interval
from perfboard.model.run import Evidence, Metric
from perfboard.model.units import format_size, format_value

_SIZE = re.compile(r"[0-9]{1,18}")
_FRACTION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
# Labels whose numbers are bytes.
_BYTES = ("size", "stride", "block")


@dataclass(frozen=True)
class MedianLine:
    """A metric's estimate; the interval is the range of the processes on a virtual board.

    `odd` counts the samples that are far from the others.
    """

    metric: Metric
    estimate: Estimate
    interval: Interval | None
    odd: int

    @property
    def labels(self) -> str:
        """The labels in words, as in "size 4 KiB, stride 64 B"."""
        return ", ".join(label_words(self.metric.labels))

    def value(self, value: float) -> str:
        """A value of the metric, with its unit."""
        return quantity(value, self.metric.unit)

    @property
    def spread(self) -> str:
        """The interval in words, or an en dash where there is none."""
        if self.interval is None:
            return "\N{EN DASH}"
        low, high = self.value(self.interval.low), self.value(self.interval.high)
        return low if low == high else f"{low} to {high}"

    @property
    def half_width(self) -> str:
        """Half of the interval as a share of the median; empty where there is none."""
        if self.interval is None or not self.estimate.median:
            return ""
        half = (self.interval.high - self.interval.low) / 2 / abs(self.estimate.median)
        return f"{half:.1%}"


def quantity(value: float, unit: str) -> str:
    """As format_value, with rates as in "3.100 G/s"."""
    return format_value(value, "/s" if unit == "1/s" else unit)


def figure(metric: Metric, evidence: Evidence) -> MedianLine:
    """The metric's figure. Raises ValueError without samples."""
    found = estimate(metric)
    interval = found.interval
    if evidence in REPEATS:
        medians = process_medians(metric)
        interval = Interval(min(medians), max(medians))
    return MedianLine(metric, found, interval, len(odd_samples(metric.samples)))


def spread_words(evidence: Evidence) -> str:
    """The heading of what `MedianLine.spread` gives."""
    return "range of the processes' medians" if evidence in REPEATS else "95% interval"


def group_of(metric: Metric | RunChange) -> str:
    """The heading that the metric stands under: its group, else the first word of its name."""
    return metric.group or metric.name.partition(".")[0]


def label_words(labels: dict[str, str]) -> list[str]:
    """Labels in words, sizes and times with their units."""
    return [f"{key} {_label_value(key, value)}" for key, value in labels.items()]


def _label_value(key: str, value: str) -> str:
    if key in _BYTES and _SIZE.fullmatch(value):
        return format_size(int(value))
    if key == "interval" and _FRACTION.fullmatch(value):
        return format_value(float(value), "s")
    return value


def figure_name(metric: Metric | RunChange) -> str:
    """The metric's name and its labels' values; what is a bare number, with its label."""
    words = [
        word
        if metric.labels[key] == word.removeprefix(f"{key} ") and metric.labels[key].isdecimal()
        else word.removeprefix(f"{key} ")
        for key, word in zip(metric.labels, label_words(metric.labels), strict=True)
        if key != "counts"
    ]
    return ", ".join([metric.name, *words])
