# SPDX-License-Identifier: Apache-2.0
"""The shared parts of the disk's measures: the place, the size, and how points are read."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import ClassVar

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
from perfboard.model.run import Evidence, Metric
from perfboard.model.text import printable
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
PARAMETERS = (
    QUICK,
    Parameter(
        "folder",
        "",
        "the folder of a live target whose disk is measured; else the first one that is on a disk, "
        "of $TMPDIR, /var/tmp and $HOME there",
        labels=False,
    ),
)
_POINT = re.compile(
    r"@point ([a-z]+)/(buffered|direct)/(\d{1,8})/(\d{1,3})"
    + r" (\d{1,18})" * 8
    + r" (\d{1,4}) ([a-z_]+)"
)


@dataclass(frozen=True)
class DiskPoint:
    """One point as the probe measured it (native/probe/disk/points.c); latencies in s."""

    operation: str
    mode: str
    block: int
    depth: int
    bytes: int
    operations: int
    seconds: float
    own_s: float
    busy_s: float
    middle: float
    late: float
    longest: float
    kept: float
    how: str

    @property
    def text(self) -> str:
        """The point as the probe is asked for it."""
        return f"{self.operation}/{self.mode}/{self.block}/{self.depth}"

    def busy(self, evidence: Evidence) -> float:
        """The processor's share: on a virtual board of all its work, else of the probe's."""
        used = self.busy_s if evidence is Evidence.TIMED else self.own_s
        return min(1.0, used / self.seconds)


class DiskPoints(Measure):
    """Points of the probe, each a figure; the first one's says it in a few words."""

    # The name of the metrics and the words of the figure of each, by its text.
    points: ClassVar[Mapping[str, tuple[str, str]]]
    # Whether the rate is of operations, not of bytes.
    operations = False
    # How often a repetition writes the whole file.
    written = 1
    parameters = PARAMETERS

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
    if setting.facts.exact:
        return min(2 * ram, 16 * _MIB)
    most = 32 if setting.parameters["quick"] else 128
    return min(max(2 * ram, 32 * _MIB), most * _MIB) // _MIB * _MIB


def points_job(setting: Setting, points: Sequence[str], milliseconds: int, written: int) -> Job:
    """Measures those points, each for that long; it writes the file `written` times over."""
    size = size_for(setting)
    words = f'"$PROBE" disk points "$place" {size} {milliseconds} {" ".join(points)}'
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
    """The line of a script that says where the user wants its files."""
    return f"folder={shlex.quote(setting.text('folder'))}\n"


def failure_of(output: str) -> str:
    """The words of the first "@failed WHAT WORDS", or ""."""
    for line in output.splitlines():
        if match := re.fullmatch(r"@failed \S+ (.{1,1000})", line):
            return printable(match[1])
    return ""


def points_of(output: str) -> list[DiskPoint]:
    """The points that were measured. Raises NotMeasurable where there are none."""
    found = []
    for line in output.splitlines():
        if match := _POINT.fullmatch(line):
            block, depth, size, operations, ns, own, busy, p50, p99, longest, kept = map(
                int, match.groups()[2:13]
            )
            if not (size and operations and ns and block):
                continue
            found.append(
                DiskPoint(
                    match[1],
                    match[2],
                    block,
                    depth,
                    size,
                    operations,
                    ns / 1e9,
                    own / 1e6,
                    busy / 1e6,
                    p50 / 1e9,
                    p99 / 1e9,
                    longest / 1e9,
                    kept / 1000,
                    match[14],
                )
            )
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
        "50": tuple(p.middle for p in points),
        "99": tuple(p.late for p in points),
        "100": tuple(p.longest for p in points),
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
    stalled = max(points, key=lambda p: p.longest)
    if stalled.longest >= _STALL_S:
        notes.append(
            f"The disk stood still: a {stalled.operation} of {format_size(stalled.block)} took "
            f"{format_value(stalled.longest, 's')}."
        )
    others = sum(p.busy_s - p.own_s for p in points) / sum(p.seconds for p in points)
    if others > _OTHERS:
        notes.append(
            f"Beside the probe, others and the kernel's own threads had {others:.1f} processors of "
            "the target: rates may be low by that."
        )
    kept = max((p.kept for p in points if p.operation in ("read", "getc")), default=0.0)
    if kept > 0.01:
        notes.append(
            f"The page cache kept {kept:.0%} of the file although it was asked to drop it: reads "
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
    figures = "1000000 100 1000000000 500000 500000 1000 2000 3000 0 calls"
    return "".join(f"@point {text} {figures}\n" for text in texts)


def point_example(names: Mapping[str, str], *, operations: bool = False) -> Example:
    """The example of these points, by their texts; the names are those of their metrics."""
    rate = {"operations": 100} if operations else {"bandwidth": 1e6}
    first = {**rate, "busy": 0.5, "latency": 1e-6}
    figures = {f"{name}.{what}": value for name in names.values() for what, value in first.items()}
    return Example(example_points(names), figures)
