# SPDX-License-Identifier: Apache-2.0
"""disk.files: 16 x 1024 empty files are made, looked at and deleted, as bonnie++ does (study B)."""

import re
from statistics import median

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Setting, ShownMetric
from perfboard.measures.disk.points import PARAMETERS, disk_job, failure_of
from perfboard.measures.rates import limit_of, rate_quantities, rated
from perfboard.model.run import Evidence, Metric
from perfboard.model.units import format_value

_COUNT = 16 * 1024
_FEW = 1024
# About what a file system writes for one: its entry, its inode, and its journal.
_BYTES = 1024
_ROW = re.compile(
    r"@files (sequential|random) (create|stat|delete) (\d{1,7}) (\d{1,18}) (\d{1,18}) (\d{1,18})"
)


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
            "@files sequential create 1000 2000000000 1980000 1990000\n",
            {"disk.files.operations": 500, "disk.files.busy": 0.995},
        ),
    )

    def job(self, setting: Setting) -> Job:
        few = setting.parameters["quick"] or setting.facts.exact
        count = _FEW if few else _COUNT
        line = f'"$PROBE" disk files "$place" {count}\n'
        writes = 4 * count * _BYTES * setting.repeats
        return disk_job(setting, line * setting.repeats, writes)

    def read(self, output: str, setting: Setting) -> Finding:
        rates: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for text in output.splitlines():
            if match := _ROW.fullmatch(text):
                count, ns, own, busy = map(int, match.groups()[2:])
                used = busy if setting.facts.evidence is Evidence.TIMED else own
                if count and ns:
                    one = (count * 1e9 / ns, min(1.0, used * 1000 / ns))
                    rates.setdefault((match[1], match[2]), []).append(one)
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
