# SPDX-License-Identifier: Apache-2.0
"""The content of a run: the findings of its items, as they are recorded."""

from collections.abc import Iterator, Sequence
from statistics import mean, median

from perfboard.analysis.compare.comparison import label_name
from perfboard.bench.base import Bench
from perfboard.measures.base import Finding, ShownMetric
from perfboard.measures.loop import Findings, Item
from perfboard.measures.probe.probes import Probe
from perfboard.model.published import PROGRAM, PublishedValue
from perfboard.model.results.base import Result
from perfboard.model.results.measures import Figure, Measurement, MeasuresResult
from perfboard.model.run import Metric
from perfboard.store.recording import Content

_FIRST = 8
_NOT_REACHED = Finding(reason="the run ended before it")


def content_of(items: Sequence[Item], findings: Findings, bench: Bench) -> Content:
    """The metrics and the results of all items, however the run ended.

    A measure that names no figures of its own is shown by the first of its metrics.
    """
    metrics: list[Metric] = []
    results: list[Result] = []
    notes = dict.fromkeys(bench.notes)
    measurements = []
    processes = list(findings.processes)
    for place, item in enumerate(items):
        found = findings.found.get(item.key, _NOT_REACHED)
        # Those of a probe that ran by itself are counted from its own first process.
        before = len(processes) if found.processes else 0
        for metric in found.metrics:
            own = {"processes": tuple(before + each for each in metric.processes)}
            metrics.append(metric.model_copy(update={"measurement": place, **own}))
        processes += found.processes
        results += found.results
        notes |= dict.fromkeys(found.notes)
        measurements.append(_measurement(item, found, findings, bench.facts.published))
    absent = {pair for found in findings.found.values() for pair in found.absent.items()}
    notes |= {f"Not measured: {name}: {reason}.": None for name, reason in sorted(absent)}
    notes |= dict.fromkeys(findings.notes)
    measures = MeasuresResult(measurements=tuple(measurements), processes=tuple(processes))
    return Content(
        bench.subject(),
        metrics=tuple(metrics),
        results=(measures, *results),
        notes=tuple(notes),
        step=findings.place,
    )


def _measurement(
    item: Item, found: Finding, findings: Findings, published: Sequence[PublishedValue]
) -> Measurement:
    return Measurement(
        measure=item.measure.name,
        title=item.measure.title,
        parameters=dict(item.parameters),
        figures=tuple(_figure(each, published) for each in found.figures or _first(item, found)),
        short=found.short,
        limit=found.limit,
        why=found.why,
        reason=found.reason,
        failed=found.failed,
        absent=dict(found.absent),
        host_s=findings.host_s.get(item.key, 0.0),
        blocks=found.blocks,
    )


def _first(item: Item, found: Finding) -> Iterator[ShownMetric]:
    # Those of a probe have tables and graphs of their own.
    if isinstance(item.measure, Probe) or found.reason:
        return
    for metric in [each for each in found.metrics if each.samples][:_FIRST]:
        yield ShownMetric(label_name(metric).removeprefix(f"{item.measure.name}."), metric)


def _figure(shown: ShownMetric, published: Sequence[PublishedValue]) -> Figure:
    metric = shown.metric
    known = next((each for each in published if is_of(each, metric)), None)
    return Figure(
        title=shown.title,
        metric=metric.name,
        labels=metric.labels,
        unit=metric.unit,
        better=metric.better,
        value=median(metric.samples),
        busy=mean(shown.busy.samples) if shown.busy and shown.busy.samples else None,
        published=known.value if known else None,
        source=known.source if known else "",
        differs=known.differs if known else "",
    )


def is_of(published: PublishedValue, metric: Metric) -> bool:
    """Whether the published figure is one of the metric, as it was measured.

    One of a whole program by several threads says so in its name.
    """
    threads = metric.labels.get("threads", "1")
    several = metric.name.startswith(PROGRAM) and threads != "1"
    name = f"{metric.name}.{threads}-threads" if several else metric.name
    same = (published.metric, published.unit) == (name, metric.unit)
    return same and published.labels.items() <= metric.labels.items()
