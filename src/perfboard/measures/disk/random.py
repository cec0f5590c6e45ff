# SPDX-License-Identifier: Apache-2.0
"""disk.random: blocks of 4 KiB at random, one and 32 at a time, and bonnie++'s seeks (study B)."""

from statistics import median

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Setting
from perfboard.measures.disk.points import (
    PARAMETERS,
    example_points,
    figures_of,
    notes_of,
    point_quantities,
    points_job,
    points_of,
)
from perfboard.measures.rates import limit_of
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


class DiskRandom(Measure):
    """By O_DIRECT; the seeks go through the page cache, as those of bonnie++ do."""

    name = "disk.random"
    title = "Reading and writing a file at random"
    parameters = PARAMETERS
    metrics = tuple(
        quantity
        for name in ("disk.random.read", "disk.random.write", "disk.seeks")
        for quantity in point_quantities(
            name,
            "blocks a second: labels mode, block, depth",
            "of a block: labels mode, block, depth, percentile",
            operations=True,
        )
    )

    examples = (
        Example(
            example_points(_POINTS),
            {
                f"{name}.{what}": value
                for name, _ in _POINTS.values()
                for what, value in (("operations", 100), ("busy", 0.5), ("latency", 1e-6))
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        milliseconds = _MILLISECONDS // (4 if setting.parameters["quick"] else 1)
        texts = list(_POINTS) * setting.repeats
        return points_job(setting, texts, milliseconds, written=1 + 2 * setting.repeats)

    def read(self, output: str, setting: Setting) -> Finding:
        evidence, points = setting.facts.evidence, points_of(output)
        metrics, figures = figures_of(_POINTS, points, evidence, operations=True)
        if not figures:
            raise NotMeasurable("no block at random could be measured")
        first = figures[0]
        ways = sorted({p.how for p in points if p.depth > 1})
        return Finding(
            tuple(metrics),
            tuple(figures),
            f"{format_value(median(first.metric.samples), '1/s')} {first.title}",
            limit_of(first.busy, evidence, "disk"),
            f"Several at a time by {' and '.join(ways)}." if ways else "",
            notes_of(output, points),
        )


MEASURES = (DiskRandom(),)
