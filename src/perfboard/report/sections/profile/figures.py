# SPDX-License-Identifier: Apache-2.0
"""All figures of each row's measure: a budget holds one of them, and a reader needs the others."""

from collections.abc import Iterator, Sequence
from statistics import median

from perfboard.model.blocks import Block, TableBlock
from perfboard.model.results.profile import FigureName, ProfileResult
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_value


def figures_block(run: Run, result: ProfileResult) -> Block:
    """A line for each figure; rows with the same measure and parameters have one set of them."""
    sets: dict[tuple[str, ...], tuple[list[str], Sequence[FigureName]]] = {}
    for row in result.rows:
        if row.figures:
            key = tuple(each.model_dump_json() for each in row.figures)
            sets.setdefault(key, ([], row.figures))[0].append(row.name)
    return TableBlock(
        title="All that the rows' measures gave",
        caption="The median of the samples, and in brackets the least and the most.",
        columns=("rows", "figure", "measured"),
        rows=tuple(
            line for names, figures in sets.values() for line in _lines(run, names, figures)
        ),
        words=2,
        detail=True,
    )


def _lines(
    run: Run, names: Sequence[str], figures: Sequence[FigureName]
) -> Iterator[tuple[str, str, str]]:
    """The lines of one set, each with the labels that tell it from others of the set."""
    alike = set.intersection(*(set(each.labels.items()) for each in figures))
    who = ", ".join(names)
    for each in figures:
        metric = next(
            (m for m in run.metrics if (m.name, m.labels) == (each.name, each.labels)), None
        )
        if metric is None or not metric.samples:
            continue
        own = ", ".join(f"{k} {v}" for k, v in each.labels.items() if (k, v) not in alike)
        yield who, f"{each.name}, {own}" if own else each.name, _measured(metric)
        who = ""


def _measured(metric: Metric) -> str:
    least, most = min(metric.samples), max(metric.samples)
    words = format_value(median(metric.samples), metric.unit)
    if least == most:
        return words
    return f"{words} ({format_value(least, metric.unit)} to {format_value(most, metric.unit)})"
