# SPDX-License-Identifier: Apache-2.0
"""The table of a run's metrics for a terminal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.statistics.summary import summary
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_between, format_value
from perfboard.report.terminal import cells, new_table
from perfboard.report.words.evidence import headed, not_modelled

if TYPE_CHECKING:
    from rich.table import Table


def metric_table(run: Run, metrics: Iterable[Metric]) -> "Table":
    """Medians and spreads of metrics of the run."""
    metrics = tuple(metrics)
    table = new_table("metric", headed("median", run, *metrics), "spread", "samples")
    for metric in metrics:
        if metric.extent:
            name = label_name(metric) + not_modelled(run, metric.name)
            table.add_row(*cells(name, *middle_and_spread(metric), str(len(metric.samples) or "")))
    return table


def middle_and_spread(metric: Metric) -> tuple[str, str]:
    """The median and spread of its samples; of one without any, what it is between, and ""."""
    if metric.samples:
        found = summary(metric.samples)
        return format_value(found.median, metric.unit), format_value(found.spread, metric.unit)
    return (format_between(*metric.between, metric.unit) if metric.between else ""), ""
