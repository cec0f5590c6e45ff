# SPDX-License-Identifier: Apache-2.0
"""The metrics of probes on the terminal."""

from typing import TYPE_CHECKING

from perfboard.analysis.statistics.cache_steps import find_steps
from perfboard.analysis.statistics.curves import cache_curve
from perfboard.analysis.statistics.summary import REPEATS
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_size, format_value
from perfboard.report.charts.graphs import MetricGraph, graphs
from perfboard.report.sections.measures.probe_rows import by_group, cpu_words, probe_rows
from perfboard.report.sections.measures.probes_page import levels, missing_words
from perfboard.report.terminal import cells, new_table
from perfboard.report.words.evidence import headed, not_modelled
from perfboard.report.words.figures import figure, figure_name

if TYPE_CHECKING:
    from rich.table import Table


def probe_parts(run: Run, result: MeasuresResult) -> list["str | Table"]:
    """Lines and tables: each level of memory, a few points of each curve, each single figure."""
    metrics = [metric for metric in run.metrics if metric.samples]
    parts: list[str | Table] = []
    steps = find_steps(cache_curve(metrics))
    drawn = list(graphs(metrics, steps))
    found = levels(metrics, steps)
    if found:
        table = new_table("memory", "latency", "read", "write", "read-write", "copy")
        for level in found:
            table.add_row(*cells(level.sizes, level.latency, *level.bandwidths))
        words = "The best of the processes; latency is that of a random walk"
        label = headed("", run, "memory.latency")
        parts += ["", table, f"{words}{label}.{missing_words(found)}"]
    by_level = ("memory.latency", "memory.bandwidth") if found else ()
    before: tuple[Metric, ...] = ()
    for one in drawn:
        # Two graphs of the same metrics, as time and as bandwidth, have one table.
        if one.metrics[0].name not in by_level and one.metrics != before:
            parts += [
                "",
                f"{headed(one.graph.title, run, one.metrics[0].name)}:",
                _curve_table(one),
            ]
            before = one.metrics
    in_graphs = {id(metric) for one in drawn for metric in one.metrics}
    groups = by_group(metric for metric in metrics if id(metric) not in in_graphs)
    if groups:
        heading = headed("median", run, *(metric for group in groups.values() for metric in group))
        table = new_table("metric", heading, "±", "odd")
        for group in groups.values():
            for row in (figure(metric, run.evidence) for metric in group):
                odd = f"{row.odd} of {len(row.metric.samples)}" if row.odd else ""
                name = figure_name(row.metric) + not_modelled(run, row.metric.name)
                table.add_row(*cells(name, row.value(row.estimate.median), row.half_width, odd))
        within = "range" if run.evidence in REPEATS else "95% interval of the median"
        parts += ["", table, f"±: half of the {within}, over the processes"]
    cpus = cpu_words(result.processes)
    if cpus:
        parts += ["", f"The probes were pinned to {cpus}."]
    refused = [(row.probe, text) for row in probe_rows(result.processes) for text in row.refused]
    for probe, text in refused:
        parts += ["", f"{probe} refused: {text}"]
    rest = "the graphs, all sizes, " if drawn else ""
    return [*parts, "", f"The report has the rest: {rest}the samples, and what came between."]


def _curve_table(drawn: MetricGraph) -> "Table":
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
