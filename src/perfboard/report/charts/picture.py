# SPDX-License-Identifier: Apache-2.0
"""A graph as the report shows it: drawn wide and narrow, with its figures in a table."""

from dataclasses import dataclass

from perfboard.model.units import format_size, format_value
from perfboard.report.charts import plot


@dataclass(frozen=True)
class PlotPicture:
    """A graph as drawn, wide and narrow, and the figures in it: x, then a value a line."""

    graph: plot.Graph
    drawings: tuple[tuple[str, plot.PlotDrawing], ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def picture(graph: plot.Graph) -> PlotPicture:
    """The graph, drawn, with its figures."""
    values = [dict(line.points) for line in (*graph.lines, *graph.more)]
    rows = []
    for x in sorted({x for of in values for x in of}):
        name = format_size(round(x)) if graph.x_bytes else f"{x:g}"
        cells = tuple(format_value(of[x], graph.unit) if x in of else "" for of in values)
        rows.append((name, cells))
    drawings = (("wide", plot.draw(graph, plot.WIDE)), ("narrow", plot.draw(graph, plot.NARROW)))
    return PlotPicture(graph, drawings, tuple(rows))
