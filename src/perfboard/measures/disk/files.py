# SPDX-License-Identifier: Apache-2.0
"""disk.files: 16 x 1024 empty files are made, looked at and deleted, as bonnie++ does."""

from statistics import median
from typing import Literal

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Setting, ShownMetric
from perfboard.measures.disk.points import PARAMETERS, DiskWork, disk_job, failure_of
from perfboard.measures.rates import limit_of, rate_quantities, rated
from perfboard.model.rows import Positive, read_rows, row_line
from perfboard.model.run import Metric
from perfboard.model.units import format_value

_COUNT = 16 * 1024
_FEW = 1024
# About what a file system writes for one: its entry, its inode, and its journal.
_BYTES = 1024
_TIMES = {"took_ns": 2 * 10**9, "own_us": 1_980_000, "busy_us": 1_990_000}


class FilesRow(DiskWork):
    """An operation on each of `count` files, in one order."""

    row: Literal["files"]
    order: Literal["sequential", "random"]
    operation: Literal["create", "stat", "delete"]
    count: Positive


class DiskFiles(Measure):
    """By the probe, in a folder of its own that it removes."""

    name = "disk.files"
    title = "Making, looking at and deleting files"
    parameters = PARAMETERS
    metrics = rate_quantities(
        "disk.files", "files a second: labels order, operation", operations=True
    )

    examples = (
        Example(
            row_line("files", order="sequential", operation="create", count=1000, **_TIMES),
            {"disk.files.operations": 500, "disk.files.busy": 0.995},
        ),
    )

    def job(self, setting: Setting) -> Job:
        few = setting.parameters["quick"] or setting.facts.exact
        count = _FEW if few else _COUNT
        line = f'"$PROBE" disk-files "$place" {count}\n'
        writes = 4 * count * _BYTES * setting.repeats
        return disk_job(setting, line * setting.repeats, writes)

    def read(self, output: str, setting: Setting) -> Finding:
        rates: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for row in read_rows(output, FilesRow):
            one = (row.count / row.seconds, row.busy(setting.facts.evidence))
            rates.setdefault((row.order, row.operation), []).append(one)
        if not rates:
            raise NotMeasurable(failure_of(output) or "the probe measured no files")
        metrics: list[Metric] = []
        figures: list[ShownMetric] = []
        for (order, operation), found in rates.items():
            labels = {"order": order, "operation": operation}
            each_s, shares = zip(*found, strict=True)
            rate, share = rated(self.name, labels, each_s, shares, operations=True)
            metrics += [rate, share]
            figures.append(ShownMetric(f"{operation}, {order}", rate, share))
        first = figures[0]
        short = f"{format_value(median(first.metric.samples), '1/s')} files, {first.title}"
        limit = limit_of(first.busy, setting.facts.evidence, "disk")
        return Finding(tuple(metrics), tuple(figures), short, limit)


MEASURES = (DiskFiles(),)
