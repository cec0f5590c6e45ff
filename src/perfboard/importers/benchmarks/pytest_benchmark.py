# SPDX-License-Identifier: Apache-2.0
"""pytest-benchmark's results: `pytest --benchmark-json FILE`."""

from collections.abc import Iterator

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


class _Stats(Foreign):
    mean: Amount
    # Each round's, where they were saved.
    data: tuple[Amount, ...] = ()


class _PytestBenchmark(Foreign):
    fullname: str
    stats: _Stats


class _PytestResults(Foreign):
    benchmarks: tuple[_PytestBenchmark, ...]


def _metrics(results: _PytestResults) -> Iterator[Metric]:
    for each in results.benchmarks:
        samples = each.stats.data or (each.stats.mean,)
        labels = {"test": label(each.fullname)}
        yield Metric(name="pytest.time", unit="s", labels=labels, samples=samples)


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    results = read_json(file, _PytestResults, "pytest-benchmark")
    notes: tuple[str, ...] = ()
    if not all(each.stats.data for each in results.benchmarks):
        notes = (
            "The file has no rounds, only their mean, which is the one sample; "
            "--benchmark-json and --benchmark-save-data keep the rounds.",
        )
    return content_of(_metrics(results), file, "benchmarks", notes)


IMPORTER = Importer(
    "pytest-benchmark",
    "pytest-benchmark's JSON: seconds of each round of a test",
    has_all(b'"machine_info"', b'"benchmarks"', b'"stats"'),
    _read,
)
