# SPDX-License-Identifier: Apache-2.0
"""disk.sequential: a file is written, read and rewritten, by size of block (bring-up study)."""

from statistics import median

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Finding, Measure, Setting, ShownMetric
from perfboard.measures.disk.points import (
    FILE,
    PARAMETERS,
    metrics_of,
    notes_of,
    point_example,
    point_quantities,
    points_job,
    points_of,
    request_words,
)
from perfboard.measures.rates import limit_of
from perfboard.model.run import Metric
from perfboard.model.units import format_value

_OPERATIONS = ("write", "read", "rewrite")
# bonnie++ has blocks of 8 KiB.
_BLOCKS = (4096, 8192, 65536, 1 << 20)
_FEW_BLOCKS = (8192, 1 << 20)
_HEADLINES = (("buffered", 8192), ("direct", 1 << 20))
_MILLISECONDS = 330


class DiskSequential(Measure):
    """Its file is written once; buffered writes make another, and fsync() belongs to their time."""

    name = "disk.sequential"
    title = "Reading and writing a file in order"
    parameters = (*PARAMETERS, FILE)
    metrics = tuple(
        quantity
        for operation in _OPERATIONS
        for quantity in point_quantities(
            f"disk.{operation}",
            f"bytes a second to {operation}: labels mode, block",
            f"of one call to {operation}: labels mode, block, percentile",
        )
    )

    examples = (
        point_example({f"{each}/direct/1048576/1": f"disk.{each}" for each in _OPERATIONS}),
    )

    def job(self, setting: Setting) -> Job:
        texts = _texts(setting)
        repeats = 1 if setting.parameters["quick"] else setting.repeats
        written = 1 + 2 * len(texts) // len(_OPERATIONS) * repeats
        return points_job(setting, texts * repeats, _MILLISECONDS, written)

    def read(self, output: str, setting: Setting) -> Finding:
        points = points_of(output)
        metrics: list[Metric] = []
        figures: list[ShownMetric] = []
        for text in _texts(setting):
            own = [point for point in points if point.text == text]
            if not own:
                continue
            name = f"disk.{own[0].operation}"
            rate, busy, latencies = metrics_of(name, own, setting.facts.evidence)
            metrics += [rate, busy, *latencies]
            if (own[0].mode, own[0].block) in _HEADLINES:
                how = "O_DIRECT" if own[0].mode == "direct" else "buffered"
                title = f"{own[0].operation} by {rate.labels['block']}, {how}"
                figures.append(ShownMetric(title, rate, busy))
        if not figures:
            raise NotMeasurable("no read or write of 8 KiB or 1 MiB could be measured")
        # The buffered ones of an operation, if there are any.
        named = {
            figure.metric.name.split(".")[1]: figure
            for figure in sorted(figures, key=lambda each: each.metric.labels["mode"] == "buffered")
        }
        words = [
            f"{operation}s {format_value(median(named[operation].metric.samples), 'B/s')}"
            for operation in ("read", "write")
            if operation in named
        ]
        limits = [
            f"{operation}: {limit}"
            for operation in ("read", "write")
            if operation in named
            and (limit := limit_of(named[operation].busy, setting.facts.evidence, "disk"))
        ]
        sentences = [
            request_words([p for p in points if p.operation == operation])
            for operation in ("read", "write")
        ]
        return Finding(
            tuple(metrics),
            tuple(figures),
            ", ".join(words),
            ", ".join(limits),
            " ".join(filter(None, sentences)),
            notes_of(output, points),
        )


def _texts(setting: Setting) -> list[str]:
    few = setting.parameters["quick"] or setting.facts.exact
    return [
        f"{operation}/{mode}/{block}/1"
        for mode in ("direct", "buffered")
        for block in (_FEW_BLOCKS if few else _BLOCKS)
        for operation in _OPERATIONS
    ]


MEASURES = (DiskSequential(),)
