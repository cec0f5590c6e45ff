# SPDX-License-Identifier: Apache-2.0
"""disk.files: 16 x 1024 empty files are made, looked at and deleted, as bonnie++ does (study B)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.disk.points import FEATURES, failure_of, script_at
from perfboard.measures.rows import Answer, Figure, limit_of, rated
from perfboard.model.run import Evidence, Metric
from perfboard.model.units import format_value

_COUNT = 16 * 1024
_FEW = 1024
# About what a file system writes for one: its entry, its inode, and its journal.
_BYTES = 1024
_ROW = re.compile(
    r"@files (sequential|random) (create|stat|delete) (\d{1,7}) (\d{1,18}) (\d{1,18}) (\d{1,18})"
)


@dataclass(frozen=True)
class DiskFiles:
    """By the probe, in a folder of its own that it removes."""

    name: str = "disk.files"
    title: str = "Making, looking at and deleting files"
    features: tuple[str, ...] = FEATURES
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            "disk.files.operations": "files a second: labels order, operation",
            "disk.files.busy": "the processor's share of that time",
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return 4 * self._count(bed) * _BYTES * bed.repeats

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        line = f'"$PROBE" disk files "$place" {self._count(bed)}\n'
        output = bed.run(
            Work(
                script_at(bed, line * bed.repeats),
                packages=("e2fsprogs",) if bed.board else (),
                features=FEATURES,
                limit_s=900,
            )
        )
        rates: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for text in output.splitlines():
            if match := _ROW.fullmatch(text):
                count, ns, own, busy = map(int, match.groups()[2:])
                used = busy if bed.evidence is Evidence.TIMED else own
                if count and ns:
                    one = (count * 1e9 / ns, min(1.0, used * 1000 / ns))
                    rates.setdefault((match[1], match[2]), []).append(one)
        if not rates:
            raise NotMeasurable(failure_of(output) or "the probe measured no files")
        metrics: list[Metric] = []
        figures: list[Figure] = []
        for (order, operation), found in rates.items():
            labels = {"order": order, "operation": operation}
            each_s, shares = zip(*found, strict=True)
            rate, share = rated(self.name, labels, each_s, shares, operations=True)
            metrics += [rate, share]
            figures.append(Figure(f"{operation}, {order}", rate, share))
        first = figures[0]
        short = f"{format_value(median(first.metric.samples), '1/s')} files, {first.title}"
        limit = limit_of(first.busy, bed.evidence, "disk")
        return Answer(tuple(metrics), tuple(figures), short, limit)

    def _count(self, bed: Bed) -> int:
        return _FEW if bed.quick or bed.board else _COUNT


ROWS = (DiskFiles(),)
