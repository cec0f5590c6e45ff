# SPDX-License-Identifier: Apache-2.0
"""The shared parts of the disk's measures: the place, the size, and how points are read."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from perfboard.bench.job import DISK_FOLDER, Job, NotMeasurable
from perfboard.measures.base import (
    Example,
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
)
from perfboard.measures.rates import limit_of, rate_quantities, rated
from perfboard.model.rows import Count, Positive, RefusedRow, Row, Text, read_rows, row_line
from perfboard.model.run import Evidence, Metric
from perfboard.model.units import format_size, format_value

_MIB = 1 << 20
# From this time of a call on, the disk stands still: no slow one takes that.
_STALL_S = 1.0
# Processors that others may have without a word.
_OTHERS = 0.5
# How long each point of a `DiskPoints` takes.
_MILLISECONDS = 1500
QUICK = Parameter(
    "quick", False, "true: fewer sizes, and a tenth of the writing, to spare flash", labels=False
)
FOLDER = Parameter(
    "folder",
    "",
    "the folder of a live target whose disk is measured; else the first one that is on a disk, "
    "of $TMPDIR, /var/tmp and $HOME there",
    labels=False,
)
PARAMETERS = (QUICK, FOLDER)
FILE = Parameter("file", 0, "MiB of the file at most; 0: what suits the disk", labels=False)


class DiskWork(Row):
    """Work on a disk: how long it took, and the processor's time of the probe and of all."""

    took_ns: Positive
    own_us: Count
    busy_us: Count

    @property
    def seconds(self) -> float:
        """The time that it took."""
        return self.took_ns / 1e9

    def busy(self, evidence: Evidence) -> float:
        """The processor's share: on a virtual board of all its work, else of the probe's.

        The kernel counts all in ticks of 10 ms, and the probe's own time as it is.
        """
        used = max(self.own_us, self.busy_us if evidence is Evidence.TIMED else 0)
        return min(1.0, used / 1e6 / self.seconds)


class DiskPoint(DiskWork):
    """One point as the probe measured it (native/probe/commands/disk/points.c)."""

    row: Literal["point"]
    operation: Annotated[str, Field(pattern=r"^[a-z]{1,15}$")]
    mode: Literal["buffered", "direct"]
    block: Positive
    depth: Positive
    bytes: Positive
    operations: Positive
    p50_ns: Count
    p99_ns: Count
    longest_ns: Count
    kept_permille: Count
    how: Text

    @property
    def text(self) -> str:
        """The point as the probe is asked for it."""
        return f"{self.operation}/{self.mode}/{self.block}/{self.depth}"


class DiskPoints(Measure):
    """Points of the probe, each a figure; the first one's says it in a few words."""

    # The name of the metrics and the words of the figure of each, by its text.
    points: ClassVar[Mapping[str, tuple[str, str]]]
    # Whether the rate is of operations, not of bytes.
    operations = False
    # How often a repetition writes the whole file.
    written = 1
    parameters = (*PARAMETERS, FILE)

    def job(self, setting: Setting) -> Job:
        milliseconds = _MILLISECONDS // (4 if setting.parameters["quick"] else 1)
        texts = list(self.points) * setting.repeats
        return points_job(setting, texts, milliseconds, 1 + self.written * setting.repeats)

    def read(self, output: str, setting: Setting) -> Finding:
        evidence, points = setting.facts.evidence, points_of(output)
        metrics: list[Metric] = []
        figures: list[ShownMetric] = []
        for text, (name, words) in self.points.items():
            own = [point for point in points if point.text == text]
            if own:
                rate, busy, latencies = metrics_of(name, own, evidence, operations=self.operations)
                metrics += [rate, busy, *latencies]
                figures.append(ShownMetric(words, rate, busy))
        if not figures:
            raise NotMeasurable("none of its points could be measured")
        first = figures[0]
        ways = sorted({p.how for p in points if p.depth > 1})
        return Finding(
            tuple(metrics),
            tuple(figures),
            f"{format_value(median(first.metric.samples), first.metric.unit)} {first.title}",
            limit_of(first.busy, evidence, "disk"),
            f"Several at a time by {' and '.join(ways)}." if ways else "",
            notes_of(output, points),
        )


def size_for(setting: Setting) -> int:
    """Bytes of the file: twice the RAM, within what a disk can take in a measure's time."""
    ram = setting.facts.ram
    least, most = 32, 32 if setting.parameters["quick"] else 128
    if asked := setting.whole("file", 0):
        least, most = min(least, asked), asked
    if setting.facts.exact:
        return min(2 * ram, min(most, 16) * _MIB)
    return min(max(2 * ram, least * _MIB), most * _MIB) // _MIB * _MIB


def points_job(setting: Setting, points: Sequence[str], milliseconds: int, written: int) -> Job:
    """Measures those points, each for that long; it writes the file `written` times over."""
    size = size_for(setting)
    words = f'"$PROBE" disk-points "$place" {size} {milliseconds} {" ".join(points)}'
    # A wait of half a minute for a disk is a figure, and no hang.
    limit_s = 300 + len(points) * milliseconds / 100
    return disk_job(setting, words, writes=size * written, limit_s=limit_s)


def disk_job(setting: Setting, script: str, writes: int, limit_s: float = 900) -> Job:
    """The script with `$place`, a folder on a disk."""
    return Job(
        f"{folder_line(setting)}{DISK_FOLDER.script}{script}\n",
        packages=DISK_FOLDER.packages,
        features=DISK_FOLDER.features,
        writes=writes,
        limit_s=limit_s,
    )


def folder_line(setting: Setting) -> str:
    """The line of a script that says where the user puts its files."""
    return f"folder={shlex.quote(setting.text('folder'))}\n"


def failure_of(output: str) -> str:
    """The words of the first refusal, or ""."""
    return next((row.why for row in read_rows(output, RefusedRow)), "")


def points_of(output: str) -> list[DiskPoint]:
    """The points that were measured. Raises NotMeasurable where there are none."""
    found = read_rows(output, DiskPoint)
    if not found:
        raise NotMeasurable(failure_of(output) or "the probe measured no point")
    return found


def point_quantities(
    name: str, rate: str, latency: str, *, operations: bool = False
) -> tuple[Quantity, ...]:
    """The quantities of what `metrics_of` gives: the meaning of the rate, and of the latency."""
    latencies = Quantity(f"{name}.latency", "s", latency)
    return (*rate_quantities(name, rate, operations=operations), latencies)


def metrics_of(
    name: str, points: Sequence[DiskPoint], evidence: Evidence, *, operations: bool = False
) -> tuple[Metric, Metric, tuple[Metric, ...]]:
    """NAME.bandwidth or, of `operations`, NAME.operations; NAME.busy; and the latencies."""
    first = points[0]
    labels = {"mode": first.mode, "block": format_size(first.block)}
    if operations:
        labels["depth"] = str(first.depth)
    counted = [p.operations if operations else p.bytes for p in points]
    rates = [n / p.seconds for n, p in zip(counted, points, strict=True)]
    shares = [p.busy(evidence) for p in points]
    rate, busy = rated(name, labels, rates, shares, operations=operations)
    times = {
        "50": tuple(p.p50_ns / 1e9 for p in points),
        "99": tuple(p.p99_ns / 1e9 for p in points),
        "100": tuple(p.longest_ns / 1e9 for p in points),
    }
    latencies = tuple(
        Metric(
            name=f"{name}.latency",
            unit="s",
            labels={**labels, "percentile": percentile},
            samples=samples,
        )
        for percentile, samples in times.items()
    )
    return rate, busy, latencies


def notes_of(output: str, points: Sequence[DiskPoint]) -> tuple[str, ...]:
    """The notes on what the points do not show."""
    notes = []
    if failed := failure_of(output):
        notes.append(f"Not all of the disk's points were measured: {failed}.")
    stalled = max(points, key=lambda p: p.longest_ns)
    if (longest := stalled.longest_ns / 1e9) >= _STALL_S:
        notes.append(
            f"The disk stood still: a {stalled.operation} of {format_size(stalled.block)} took "
            f"{format_value(longest, 's')}."
        )
    others = sum(p.busy_us - p.own_us for p in points) / 1e6 / sum(p.seconds for p in points)
    if others > _OTHERS:
        notes.append(
            f"Besides the probe, others and the kernel's own threads had {others:.1f} processors "
            "of the target: rates may be low by that."
        )
    kept = [p.kept_permille / 1000 for p in points if p.operation in ("read", "getc")]
    if (most := max(kept, default=0.0)) > 0.01:
        notes.append(
            f"The page cache kept {most:.0%} of the file although it was asked to drop it: reads "
            "may come from memory."
        )
    return tuple(notes)


def request_words(points: Sequence[DiskPoint]) -> str:
    """The cost of a request and the medium's rate, by the least and the largest block."""
    direct = sorted((p for p in points if p.mode == "direct"), key=lambda p: p.block)
    if not direct or direct[0].block == direct[-1].block:
        return ""
    small, large = direct[0], direct[-1]
    times = [p.seconds / p.operations for p in (small, large)]
    byte_s = (times[1] - times[0]) / (large.block - small.block)
    cost = times[0] - small.block * byte_s
    if byte_s <= 0 or cost <= 0:
        return ""
    return (
        f"By O_DIRECT, a {small.operation} costs {cost * 1e6:.0f} us, and "
        f"{1e-6 / byte_s:.1f} MB/s beyond it: of {format_size(small.block)} the request takes "
        f"{cost / times[0]:.0%} of the time."
    )


def example_points(texts: Iterable[str]) -> str:
    """An output of the probe for these points: 1 MB each by 100 operations, in 1 s."""
    return "".join(
        example_point(text, bytes=1_000_000, operations=100, took_ns=10**9, own_us=500_000)
        for text in texts
    )


def example_point(text: str, *, own_us: int, kept_permille: int = 0, **figures: int) -> str:
    """An output of the probe for one point, whose calls took 1 to 3 us."""
    operation, mode, block, depth = text.split("/")
    return row_line(
        "point",
        operation=operation,
        mode=mode,
        block=int(block),
        depth=int(depth),
        **figures,
        own_us=own_us,
        busy_us=own_us,
        p50_ns=1000,
        p99_ns=2000,
        longest_ns=3000,
        kept_permille=kept_permille,
        how="calls" if depth == "1" else "io_submit",
    )


def point_example(names: Mapping[str, str], *, operations: bool = False) -> Example:
    """The example of these points, by their texts; the names are those of their metrics."""
    rate = {"operations": 100} if operations else {"bandwidth": 1e6}
    first = {**rate, "busy": 0.5, "latency": 1e-6}
    figures = {f"{name}.{what}": value for name in names.values() for what, value in first.items()}
    return Example(example_points(names), figures)
