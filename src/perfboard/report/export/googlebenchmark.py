# SPDX-License-Identifier: Apache-2.0
"""A run as the JSON that the Google Benchmark library writes.

Each process that measured a metric is a repetition, with the median of its samples (each
boot, where boots did), followed by the aggregates mean, median, stddev and cv. The format
holds times: of a rate it has the time of one byte or one operation, and with it the rate
as a counter. Metrics that are neither, such as sizes and counts, have no place in it.
"""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from perfboard.analysis.statistics.bootstrap import process_medians
from perfboard.model.run import Metric, Run

# A slower rate is none, and its time no number.
_LEAST_RATE = 1e-100
_COUNTERS = {"B/s": "bytes_per_second", "1/s": "items_per_second"}


def benchmarks(run: Run) -> str:
    """The document: `context`, and `benchmarks` in the order of the run's metrics."""
    rows = [
        row
        for family, metric in enumerate(run.metrics)
        if metric.unit in ("s", *_COUNTERS)
        for row in _rows(family, metric)
    ]
    context = json.dumps(_context(run), indent=1)
    listed = ",\n".join(json.dumps(row, separators=(",", ":"), allow_nan=False) for row in rows)
    return f'{{"context": {context},\n"benchmarks": [\n{listed}\n]}}\n'


def benchmark_name(metric: Metric) -> str:
    """The metric's name with its labels, as the library writes named arguments."""
    return "/".join([metric.name, *(f"{key}:{value}" for key, value in metric.labels.items())])


def _context(run: Run) -> Mapping[str, Any]:
    margin = run.margin
    timed = {"perfboard_margin": margin} if margin else {}
    return {
        **timed,
        "date": run.started.isoformat(timespec="seconds"),
        "host_name": run.board.name,
        "executable": "perfboard",
        "caches": [],
        "load_avg": [],
        "library_build_type": "release",
        "json_schema_version": 1,
        "perfboard_version": run.provenance.perfboard,
        "perfboard_run": run.id,
        "perfboard_study": run.study,
        "perfboard_target": run.target,
        "perfboard_evidence": run.evidence.value,
        "perfboard_cpu_time": "not measured; the same as real_time",
    }


def _rows(family: int, metric: Metric) -> Iterator[Mapping[str, Any]]:
    counter = _COUNTERS.get(metric.unit)
    samples = [value for value in process_medians(metric) if counter is None or value > _LEAST_RATE]
    times = [1e9 * (sample if counter is None else 1 / sample) for sample in samples]
    name = benchmark_name(metric)
    shared = {
        "family_index": family,
        "per_family_instance_index": 0,
        "run_name": name,
        "repetitions": len(times),
        "threads": 1,
    }
    label = {"label": metric.alias} if metric.alias else {}

    def measured(time: float, rate: float, time_unit: str = "ns") -> Mapping[str, Any]:
        counted = {counter: rate} if counter else {}
        return {"real_time": time, "cpu_time": time, "time_unit": time_unit, **counted, **label}

    for index, (time, sample) in enumerate(zip(times, samples, strict=True)):
        yield {
            "name": name,
            **shared,
            "run_type": "iteration",
            "repetition_index": index,
            "iterations": 1,
            **measured(time, sample),
        }
    if len(times) < 2:
        return
    for aggregate in ("mean", "median", "stddev", "cv"):
        of_times, of_samples = _aggregate(aggregate, times), _aggregate(aggregate, samples)
        if of_times is None or of_samples is None:
            continue
        yield {
            "name": f"{name}_{aggregate}",
            **shared,
            "run_type": "aggregate",
            "aggregate_name": aggregate,
            "aggregate_unit": "percentage" if aggregate == "cv" else "time",
            "iterations": len(times),
            **measured(of_times, of_samples),
        }


def _aggregate(name: str, values: Sequence[float]) -> float | None:
    """As the library has it: cv is the deviation as a share of the mean; none of a mean of 0."""
    if name == "mean":
        return statistics.fmean(values)
    if name == "median":
        return statistics.median(values)
    deviation = statistics.stdev(values)
    if name == "stddev":
        return deviation
    mean = statistics.fmean(values)
    return deviation / mean if mean else None
