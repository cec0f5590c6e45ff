# SPDX-License-Identifier: Apache-2.0
"""disk.sequential: a file is written, read and rewritten, by size of block (study B)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable
from perfboard.measures.disk.points import (
    FEATURES,
    Point,
    metrics_of,
    notes_of,
    points_of,
    points_work,
    request_words,
    size_for,
)
from perfboard.measures.rows import Answer, Figure, limit_of
from perfboard.model.run import Metric
from perfboard.model.units import format_value

_OPERATIONS = ("write", "read", "rewrite")
# bonnie++ has blocks of 8 KiB.
_BLOCKS = (4096, 8192, 65536, 1 << 20)
_FEW_BLOCKS = (8192, 1 << 20)
_HEADLINES = (("buffered", 8192), ("direct", 1 << 20))
_MILLISECONDS = 330


@dataclass(frozen=True)
class DiskSequential:
    """Its file is written once; buffered writes make another, and fsync() belongs to their time."""

    name: str = "disk.sequential"
    title: str = "Reading and writing a file in order"
    features: tuple[str, ...] = FEATURES
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            f"disk.{operation}.{what}": words
            for operation in _OPERATIONS
            for what, words in (
                ("bandwidth", f"bytes a second to {operation}: labels mode, block"),
                ("latency", f"of one call to {operation}: labels mode, block, percentile"),
                ("busy", "the processor's share of that time"),
            )
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return size_for(bed) * (1 + 2 * 2 * len(self._blocks(bed)) * self._repeats(bed))

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        texts = [
            f"{operation}/{mode}/{block}/1"
            for mode in ("direct", "buffered")
            for block in self._blocks(bed)
            for operation in _OPERATIONS
        ]
        output = bed.run(points_work(bed, texts * self._repeats(bed), _MILLISECONDS))
        points = points_of(output)
        metrics: list[Metric] = []
        figures: list[Figure] = []
        for text in texts:
            own = [point for point in points if point.text == text]
            if not own:
                continue
            rate, busy, latencies = metrics_of(f"disk.{own[0].operation}", own, bed.evidence)
            metrics += [rate, busy, *latencies]
            if (own[0].mode, own[0].block) in _HEADLINES:
                how = "O_DIRECT" if own[0].mode == "direct" else "buffered"
                title = f"{own[0].operation} by {rate.labels['block']}, {how}"
                figures.append(Figure(title, rate, busy))
        if not figures:
            raise NotMeasurable("no read or write of 8 KiB or 1 MiB could be measured")
        return self._answer(bed, points, metrics, figures, output)

    def _answer(
        self,
        bed: Bed,
        points: Sequence[Point],
        metrics: Sequence[Metric],
        figures: Sequence[Figure],
        output: str,
    ) -> Answer:
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
            and (limit := limit_of(named[operation].busy, bed.evidence, "disk"))
        ]
        sentences = [
            request_words([p for p in points if p.operation == operation])
            for operation in ("read", "write")
        ]
        return Answer(
            tuple(metrics),
            tuple(figures),
            ", ".join(words),
            ", ".join(limits),
            " ".join(filter(None, sentences)),
            notes_of(output, points),
        )

    def _repeats(self, bed: Bed) -> int:
        return 1 if bed.quick else bed.repeats

    def _blocks(self, bed: Bed) -> tuple[int, ...]:
        return _FEW_BLOCKS if bed.quick or bed.board else _BLOCKS


ROWS = (DiskSequential(),)
