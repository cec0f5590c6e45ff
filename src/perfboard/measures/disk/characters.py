# SPDX-License-Identifier: Apache-2.0
"""disk.characters: a byte at a time through stdio, as bonnie++ 1.9x does (study B)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable
from perfboard.measures.disk.points import (
    FEATURES,
    figures_of,
    notes_of,
    points_of,
    points_work,
    size_for,
)
from perfboard.measures.rows import Answer, limit_of
from perfboard.model.units import format_value

_POINTS = {
    "putc/buffered/4096/1": ("disk.putc", "out, by putc"),
    "getc/buffered/4096/1": ("disk.getc", "in, by getc"),
}
_MILLISECONDS = 1500


@dataclass(frozen=True)
class DiskCharacters:
    """By putc() and getc() of the probe's C library, musl, which the board's may not be."""

    name: str = "disk.characters"
    title: str = "Reading and writing a byte at a time"
    features: tuple[str, ...] = FEATURES
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            f"{name}.{what}": words
            for name, of_it in _POINTS.values()
            for what, words in (
                ("bandwidth", f"bytes a second {of_it}"),
                ("latency", "of 64 KiB: label percentile"),
                ("busy", "the processor's share of that time"),
            )
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return size_for(bed) * (1 + bed.repeats)

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        milliseconds = _MILLISECONDS // (4 if bed.quick else 1)
        output = bed.run(points_work(bed, list(_POINTS) * bed.repeats, milliseconds))
        points = points_of(output)
        metrics, figures = figures_of(_POINTS, points, bed.evidence)
        if not figures:
            raise NotMeasurable("neither putc nor getc could be measured")
        first = figures[0]
        short = f"{format_value(median(first.metric.samples), 'B/s')} {first.title}"
        limit = limit_of(first.busy, bed.evidence, "disk")
        return Answer(tuple(metrics), tuple(figures), short, limit, notes=notes_of(output, points))


ROWS = (DiskCharacters(),)
