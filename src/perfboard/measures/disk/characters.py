# SPDX-License-Identifier: Apache-2.0
"""disk.characters: a byte at a time through stdio, as bonnie++ 1.9x does (study B)."""

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

_POINTS = {
    "putc/buffered/4096/1": ("disk.putc", "out, by putc"),
    "getc/buffered/4096/1": ("disk.getc", "in, by getc"),
}
_MILLISECONDS = 1500


class DiskCharacters(Measure):
    """By putc() and getc() of the probe's C library, musl, which the board's may not be."""

    name = "disk.characters"
    title = "Reading and writing a byte at a time"
    parameters = PARAMETERS
    metrics = tuple(
        quantity
        for name, words in _POINTS.values()
        for quantity in point_quantities(
            name, f"bytes a second {words}", "of 64 KiB: label percentile"
        )
    )

    examples = (
        Example(
            example_points(_POINTS),
            {
                f"{name}.{what}": value
                for name, _ in _POINTS.values()
                for what, value in (("bandwidth", 1e6), ("busy", 0.5), ("latency", 1e-6))
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        milliseconds = _MILLISECONDS // (4 if setting.parameters["quick"] else 1)
        texts = list(_POINTS) * setting.repeats
        return points_job(setting, texts, milliseconds, written=1 + setting.repeats)

    def read(self, output: str, setting: Setting) -> Finding:
        evidence, points = setting.facts.evidence, points_of(output)
        metrics, figures = figures_of(_POINTS, points, evidence)
        if not figures:
            raise NotMeasurable("neither putc nor getc could be measured")
        first = figures[0]
        short = f"{format_value(median(first.metric.samples), 'B/s')} {first.title}"
        limit = limit_of(first.busy, evidence, "disk")
        return Finding(tuple(metrics), tuple(figures), short, limit, notes=notes_of(output, points))


MEASURES = (DiskCharacters(),)
