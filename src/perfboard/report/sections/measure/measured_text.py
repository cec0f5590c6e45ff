# SPDX-License-Identifier: Apache-2.0
"""What the commands print of metrics that probes measured: figures, and their changes."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfboard.analysis.compare.changes import Change, percent
from perfboard.analysis.statistics.cache_steps import find_steps
from perfboard.analysis.statistics.curves import cache_curve
from perfboard.analysis.statistics.summary import REPEATS
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_size, format_value
from perfboard.report.charts.graphs import Drawn, graphs
from perfboard.report.sections.measure.measured import (
    by_group,
    cpu_words,
    figure,
    group_of,
    label_words,
    probe_rows,
    quantity,
)
from perfboard.report.sections.measure.measurements import levels
from perfboard.report.terminal import cells, new_table
from perfboard.report.words.evidence import headed

if TYPE_CHECKING:
    from rich.table import Table

# Changes of a group that are printed, the largest first.
MOST_CHANGES = 12


def probe_parts(run: Run, metrics: Sequence[Metric]) -> list["str | Table"]:
    """Lines and tables: each level of memory, a few points of each curve, each single figure."""
    parts: list[str | Table] = []
    steps = find_steps(cache_curve(metrics))
    drawn = list(graphs(metrics, steps))
    found = levels(metrics, steps)
    if found:
        table = new_table("memory", headed("latency", run), "read", "write", "read-write", "copy")
        for level in found:
            table.add_row(*cells(level.sizes, level.latency, *level.bandwidths))
        parts += ["", table, "The best of the processes; latency is that of a random walk."]
    by_level = ("memory.latency", "memory.bandwidth") if found else ()
    said: tuple[Metric, ...] = ()
    for one in drawn:
        # What is drawn twice, as time and as bandwidth, is said once.
        if one.metrics[0].name not in by_level and one.metrics != said:
            parts += ["", f"{headed(one.graph.title, run)}:", _curve_table(one)]
            said = one.metrics
    in_graphs = {id(metric) for one in drawn for metric in one.metrics}
    groups = by_group(metric for metric in metrics if id(metric) not in in_graphs)
    if groups:
        table = new_table("metric", headed("median", run), "±", "odd")
        for group in groups.values():
            for row in (figure(metric, run.evidence) for metric in group):
                odd = f"{row.odd} of {len(row.metric.samples)}" if row.odd else ""
                name = _named(row.metric)
                table.add_row(*cells(name, row.value(row.estimate.median), row.half_width, odd))
        within = "range" if run.evidence in REPEATS else "95% interval of the median"
        parts += ["", table, f"±: half of the {within}, over the processes"]
    cpus = cpu_words(run.processes)
    if cpus:
        parts += ["", f"The probes were pinned to {cpus}."]
    refused = [(row.probe, text) for row in probe_rows(run.processes) for text in row.refused]
    for probe, text in refused:
        parts += ["", f"{probe} refused: {text}"]
    rest = "the graphs, all sizes, " if drawn else ""
    return [*parts, "", f"The report has the rest: {rest}the samples, and what came between."]


def _curve_table(drawn: Drawn) -> "Table":
    """The least, a middle and the greatest x of each line."""
    graph = drawn.graph
    table = new_table("line", "first", "middle", "last")
    for line in graph.lines:
        points = line.points
        shown = (points[0], points[len(points) // 2], points[-1])
        table.add_row(
            *cells(
                line.label,
                *(
                    f"{format_value(y, graph.unit)} at "
                    f"{format_size(round(x)) if graph.x_bytes else f'{x:g}'}"
                    for x, y in shown
                ),
            )
        )
    return table


def change_parts(changes: Sequence[Change]) -> list["str | Table"]:
    """The changes that are shown, by group: first the group with the largest, and that first."""
    if not changes:
        return []
    groups: dict[str, list[Change]] = {}
    for change in sorted((c for c in changes if c.shown), key=_size, reverse=True):
        groups.setdefault(group_of(change.name), []).append(change)
    parts: list[str | Table] = []
    for title, group in groups.items():
        worse = sum(_worse(change) for change in group)
        parts.append(f"{title}: {len(group) - worse} better, {worse} worse")
        table = new_table("metric", "before", "after", "in %", "")
        for change in group[:MOST_CHANGES]:
            table.add_row(
                *cells(
                    _named(change),
                    quantity(change.before.mean, change.unit),
                    quantity(change.after.mean, change.unit),
                    percent(change.ratio),
                    "worse" if _worse(change) else "better",
                )
            )
        parts.append(table)
        if len(group) > MOST_CHANGES:
            parts.append(f"and {len(group) - MOST_CHANGES:,} smaller ones")
        parts.append("")
    still = sum(not change.shown for change in changes)
    parts += [f"No change shown in {still:,} of {len(changes):,} metrics of probes.", ""]
    return parts


def _size(change: Change) -> float:
    """How far the ratio is from 1, the same both ways."""
    if change.ratio is None or change.ratio <= 0:
        return math.inf
    return abs(math.log(change.ratio))


def _worse(change: Change) -> bool:
    return (change.difference > 0) == (change.better == "lower")


def _named(metric: Metric | Change) -> str:
    """The metric's name and its labels' values; what is a bare number, with its label."""
    words = [
        word
        if metric.labels[key] == word.removeprefix(f"{key} ") and metric.labels[key].isdecimal()
        else word.removeprefix(f"{key} ")
        for key, word in zip(metric.labels, label_words(metric.labels), strict=True)
        if key != "counts"
    ]
    return ", ".join([metric.name, *words])
