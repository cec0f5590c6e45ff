# SPDX-License-Identifier: Apache-2.0
"""disk.random: blocks of 4 KiB at random, one and 32 at a time, and bonnie++'s seeks (study B)."""

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

# The name and words of each, by the probe's point; O_DIRECT first, or else without it.
_POINTS = {
    "randread/direct/4096/1": ("disk.random.read", "reads of 4 KiB"),
    "randread/direct/4096/32": ("disk.random.read", "reads of 4 KiB, 32 at a time"),
    "randwrite/direct/4096/1": ("disk.random.write", "writes of 4 KiB"),
    "randwrite/direct/4096/32": ("disk.random.write", "writes of 4 KiB, 32 at a time"),
    "seeks/buffered/8192/1": ("disk.seeks", "seeks as bonnie++"),
}
_MILLISECONDS = 1500


@dataclass(frozen=True)
class DiskRandom:
    """By O_DIRECT; the seeks go through the page cache, as those of bonnie++ do."""

    name: str = "disk.random"
    title: str = "Reading and writing a file at random"
    features: tuple[str, ...] = FEATURES
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            f"{name}.{what}": words
            for name in ("disk.random.read", "disk.random.write", "disk.seeks")
            for what, words in (
                ("operations", "blocks a second: labels mode, block, depth"),
                ("latency", "of a block: labels mode, block, depth, percentile"),
                ("busy", "the processor's share of that time"),
            )
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return size_for(bed) * (1 + 2 * bed.repeats)

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        milliseconds = _MILLISECONDS // (4 if bed.quick else 1)
        output = bed.run(points_work(bed, list(_POINTS) * bed.repeats, milliseconds))
        points = points_of(output)
        metrics, figures = figures_of(_POINTS, points, bed.evidence, operations=True)
        if not figures:
            raise NotMeasurable("no block at random could be measured")
        first = figures[0]
        ways = sorted({p.how for p in points if p.depth > 1})
        sentence = f"Several at a time by {' and '.join(ways)}." if ways else ""
        return Answer(
            tuple(metrics),
            tuple(figures),
            f"{format_value(median(first.metric.samples), '1/s')} {first.title}",
            limit_of(first.busy, bed.evidence, "disk"),
            sentence,
            notes_of(output, points),
        )


ROWS = (DiskRandom(),)
