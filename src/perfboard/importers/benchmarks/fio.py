# SPDX-License-Identifier: Apache-2.0
"""fio's results: `fio --output-format=json`."""

from collections.abc import Iterator

from pydantic import Field

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import (
    Amount,
    Foreign,
    content_of,
    has_all,
    label,
    read_json,
)
from perfboard.model.run import Metric, Unit


class _FioLatency(Foreign):
    percentile: dict[str, Amount] = Field(default_factory=dict)


class _Direction(Foreign):
    io_bytes: Amount = 0.0
    bw_bytes: Amount = 0.0
    iops: Amount = 0.0
    clat_ns: _FioLatency = _FioLatency()


class _FioJob(Foreign):
    jobname: str
    error: int = 0
    read: _Direction = _Direction()
    write: _Direction = _Direction()
    trim: _Direction = _Direction()


class _FioResults(Foreign):
    jobs: tuple[_FioJob, ...]


def _metrics(results: _FioResults) -> Iterator[Metric]:
    for job in results.jobs:
        for way, part in (("read", job.read), ("write", job.write), ("trim", job.trim)):
            if not part.io_bytes:
                continue
            labels = {"job": label(job.jobname)}
            rates: tuple[tuple[str, Unit, float], ...] = (
                (f"fio.{way}.bandwidth", "B/s", part.bw_bytes),
                (f"fio.{way}.rate", "1/s", part.iops),
            )
            for name, unit, value in rates:
                yield Metric(name=name, unit=unit, better="higher", labels=labels, samples=(value,))
            for percentile, value in part.clat_ns.percentile.items():
                of_it = labels | {"percentile": label(percentile.rstrip("0").rstrip("."))}
                name = f"fio.{way}.latency"
                yield Metric(name=name, unit="s", labels=of_it, samples=(value / 1e9,))


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    results = read_json(file, _FioResults, "fio")
    failed = [label(job.jobname) for job in results.jobs if job.error]
    notes = tuple(f"Job {job} failed." for job in failed)
    return content_of(_metrics(results), file, "job that read or wrote", notes)


IMPORTER = Importer(
    "fio",
    "fio's JSON: bandwidth, rate and latencies of each job",
    has_all(b'"fio version"', b'"jobs"'),
    _read,
)
