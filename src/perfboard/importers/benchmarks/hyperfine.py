# SPDX-License-Identifier: Apache-2.0
"""hyperfine's results: `hyperfine --export-json FILE`."""

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


class _HyperfineCommand(Foreign):
    command: str
    times: tuple[Amount, ...]
    exit_codes: tuple[int | None, ...] = ()


class _HyperfineResults(Foreign):
    results: tuple[_HyperfineCommand, ...]


def _metrics(results: _HyperfineResults) -> Iterator[Metric]:
    for each in results.results:
        labels = {"command": label(each.command)}
        yield Metric(name="hyperfine.time", unit="s", labels=labels, samples=each.times)


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    results = read_json(file, _HyperfineResults, "hyperfine")
    failed = [label(each.command) for each in results.results if any(each.exit_codes)]
    notes = tuple(f"A run of this command failed: {command}" for command in failed)
    return content_of(_metrics(results), file, "times", notes)


IMPORTER = Importer(
    "hyperfine",
    "hyperfine's JSON: seconds of each run of a command",
    has_all(b'"results"', b'"command"', b'"times"'),
    _read,
)
