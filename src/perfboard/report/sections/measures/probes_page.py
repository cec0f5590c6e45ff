# SPDX-License-Identifier: Apache-2.0
"""A run's probes in the report: graphs, levels, tables, disturbances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.analysis.statistics.cache_steps import (
    CacheStep,
    find_steps,
    plateaus_between,
)
from perfboard.analysis.statistics.curves import cache_curve, curves, middle_of
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_size, format_value
from perfboard.report.charts import histogram as histograms
from perfboard.report.charts import plot
from perfboard.report.charts.graphs import OPERATIONS, graphs, size_span
from perfboard.report.charts.histogram import Histogram
from perfboard.report.charts.picture import PlotPicture, picture
from perfboard.report.sections.measures.probe_rows import (
    ProbeRow,
    by_group,
    clock_words,
    probe_rows,
)
from perfboard.report.words.evidence import evidence_label
from perfboard.report.words.figures import MedianLine, figure, label_words, spread_words

LATENESS = "kernel.timer.lateness"
NOT_MEASURED = "\N{EN DASH}"
"""Stands for the bandwidth at a level of which no size was measured."""


@dataclass(frozen=True)
class Lateness:
    """The histogram of one timer's wake-ups, wide and narrow, and the same in a sentence."""

    title: str
    sentence: str
    drawings: tuple[tuple[str, Histogram], ...]


@dataclass(frozen=True)
class MemoryLevel:
    """One level of memory, at the processes' best: sizes, latency, bandwidths by operation."""

    sizes: str
    latency: str
    bandwidths: tuple[str, ...]


def missing_words(levels: Sequence[MemoryLevel]) -> str:
    """A sentence on the sizes that there was no time for; "" where all, or none, were measured."""
    found = {rate == NOT_MEASURED for level in levels for rate in level.bandwidths}
    return f" {NOT_MEASURED}: not measured in this time." if len(found) > 1 else ""


@dataclass(frozen=True)
class ProbesView:
    """All of it. `summary` says it in a sentence; `spread` what the tables' intervals are."""

    summary: str
    pictures: tuple[PlotPicture, ...]
    # The evidence of what each picture shows.
    labels: tuple[str, ...]
    steps: tuple[CacheStep, ...]
    levels: tuple[MemoryLevel, ...]
    missing: str
    lateness: tuple[Lateness, ...]
    groups: dict[str, list[MedianLine]]
    probes: list[ProbeRow]
    clocks: list[str]
    spread: str


def probes_view(run: Run, result: MeasuresResult) -> ProbesView:
    """The view of the run's probes."""
    steps = find_steps(cache_curve(run.metrics))
    drawn = tuple(graphs(run.metrics, steps))
    in_graphs = {id(metric) for one in drawn for metric in one.metrics}
    rest = [metric for metric in run.metrics if id(metric) not in in_graphs]
    parts = levels(run.metrics, steps)
    return ProbesView(
        summary=_summary(run, result, parts),
        pictures=tuple(picture(one.graph) for one in drawn),
        labels=tuple(evidence_label(run, one.metrics[0].name) for one in drawn),
        steps=steps,
        levels=parts,
        missing=missing_words(parts),
        lateness=tuple(
            _lateness(metric)
            for metric in rest
            if metric.name == LATENESS and any(sample > 0 for sample in metric.samples)
        ),
        groups={
            title: [figure(metric, run.evidence) for metric in metrics]
            for title, metrics in by_group(rest).items()
        },
        probes=probe_rows(result.processes),
        clocks=clock_words(result.processes),
        spread=spread_words(run.evidence),
    )


def _summary(run: Run, result: MeasuresResult, parts: Sequence[MemoryLevel]) -> str:
    """The machine in one line, how fast its memory is, and how much was measured."""
    sentences = [words] if (words := _machine(run.board.facts)) else []
    if parts:
        size, latency_s = cache_curve(run.metrics)[-1]
        reads = [f"{level.latency} {level.sizes}" for level in parts]
        reads.append(f"{format_value(latency_s, 's')} in {format_size(round(size))}, the largest")
        sentences.append(f"A read at random takes at best {', '.join(reads)}")
    samples = sum(len(metric.samples) for metric in run.metrics)
    refused = len({process.probe for process in result.processes if process.refused})
    count = len(run.metrics)
    words = f"{count:,} {'metric' if count == 1 else 'metrics'} from {samples:,} samples"
    if result.processes:
        words += f" of {len(result.processes):,} processes"
    if refused:
        words += f"; {refused} {'probe' if refused == 1 else 'probes'} refused all or a part"
    return ". ".join([*sentences, words])


def _machine(facts: Mapping[str, str]) -> str:
    count, memory, kernel = (facts.get(key, "") for key in ("processors", "memory", "kernel"))
    kib = memory.removesuffix(" KiB")
    words = (
        f"{count} {'processor' if count == '1' else 'processors'}" if count else "",
        f"{format_size(int(kib) << 10)} of memory" if kib.isdecimal() and len(kib) < 16 else "",
        f"Linux {kernel}" if kernel else "",
    )
    return ", ".join(filter(None, words))


def levels(metrics: Sequence[Metric], steps: Sequence[CacheStep]) -> tuple[MemoryLevel, ...]:
    """Latency and bandwidths at each plateau between the rises; none without rises."""
    points = cache_curve(metrics)
    parts = plateaus_between(points, steps) if steps else ()
    found = []
    for place, part in enumerate(parts):
        last = part is parts[-1]
        # The level's size is known to be within the step.
        step = steps[-1] if last else steps[place]
        sizes = f"{'beyond' if last else 'up to'} {size_span(step.low, step.high)}"
        most = part.last if last else max(part.first, part.last // 2)
        # A size just larger than a cache is partly in it.
        least = min(2 * part.first, most) if place else part.first
        found.append(
            MemoryLevel(
                sizes=sizes,
                latency=format_value(part.latency_s, "s"),
                bandwidths=tuple(
                    _bandwidth_in(metrics, operation, least, most) for operation in OPERATIONS
                ),
            )
        )
    return tuple(found)


def _bandwidth_in(metrics: Sequence[Metric], operation: str, least: int, most: int) -> str:
    """The fastest loop's bandwidth at the largest of these sizes that it was measured at."""
    rates = [
        within[-1]
        for curve in curves(metrics, "memory.bandwidth", "size")
        if curve.labels.get("operation") == operation
        and (within := [y for x, y in curve.best if least <= x <= most])
    ]
    return format_value(max(rates), "B/s") if rates else NOT_MEASURED


def _lateness(metric: Metric) -> Lateness:
    ordered = sorted(metric.samples)
    count = len(ordered)
    early = sum(sample <= 0 for sample in ordered)
    sentence = (
        f"{count:,} wake-ups: the median is {format_value(middle_of(metric), 's')} late, "
        f"99% are at most {format_value(ordered[-(-99 * count // 100) - 1], 's')} late, "
        f"and the latest {format_value(ordered[-1], 's')}."
    )
    if early:
        sentence += f" {early:,} came on time or early, and are left out of the histogram."
    title = ", ".join(["How late a timer wakes", *label_words(metric.labels)])
    names = ("wake-up after the time asked for", "wake-ups")
    return Lateness(
        title=title,
        sentence=sentence,
        drawings=tuple(
            (name, histograms.histogram(ordered, metric.unit, names, layout))
            for name, layout in (("wide", plot.WIDE), ("narrow", plot.NARROW))
        ),
    )
