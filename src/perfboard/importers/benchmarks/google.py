# SPDX-License-Identifier: Apache-2.0
"""Google Benchmark's results: `PROGRAM --benchmark_format=json`."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import (
    Amount,
    Foreign,
    content_of,
    has_all,
    label,
    read_json,
)
from perfboard.model.run import Metric

_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class _GoogleBenchmark(Foreign):
    run_name: str
    run_type: str = "iteration"
    real_time: Amount = 0.0
    cpu_time: Amount = 0.0
    time_unit: Literal["ns", "us", "ms", "s"] = "ns"
    bytes_per_second: Amount | None = None
    items_per_second: Amount | None = None
    error_occurred: bool = False
    error_message: str = ""


class _GoogleResults(Foreign):
    benchmarks: tuple[_GoogleBenchmark, ...]


def _metrics(runs: list[_GoogleBenchmark]) -> Iterator[Metric]:
    by_name: dict[str, list[_GoogleBenchmark]] = defaultdict(list)
    for run in runs:
        by_name[run.run_name].append(run)
    for name, of_it in by_name.items():
        labels = {"benchmark": label(name)}
        for metric, times in (
            ("google.time", [run.real_time * _SECONDS[run.time_unit] for run in of_it]),
            ("google.cpu", [run.cpu_time * _SECONDS[run.time_unit] for run in of_it]),
        ):
            yield Metric(name=metric, unit="s", labels=labels, samples=tuple(times))
        data = tuple(r.bytes_per_second for r in of_it if r.bytes_per_second is not None)
        yield Metric(
            name="google.bandwidth", unit="B/s", better="higher", labels=labels, samples=data
        )
        items = tuple(r.items_per_second for r in of_it if r.items_per_second is not None)
        yield Metric(name="google.rate", unit="1/s", better="higher", labels=labels, samples=items)


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    results = read_json(file, _GoogleResults, "Google Benchmark")
    # Means and deviations are of the repetitions, which stand there too.
    runs = [run for run in results.benchmarks if run.run_type == "iteration"]
    failed = {run.run_name: run.error_message for run in runs if run.error_occurred}
    notes = tuple(f"{label(name)} failed: {label(why)}" for name, why in failed.items())
    metrics = _metrics([run for run in runs if not run.error_occurred])
    return content_of(metrics, file, "benchmarks that ran", notes)


IMPORTER = Importer(
    "google",
    "Google Benchmark's JSON: time of an iteration, by benchmark",
    has_all(b'"context"', b'"benchmarks"', b'"run_name"'),
    _read,
)
