# SPDX-License-Identifier: Apache-2.0
"""The shared parts of the disk's rows: the place, the size, and how points are read."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.rows import Figure, rated
from perfboard.model.run import Evidence, Metric
from perfboard.model.text import printable
from perfboard.model.units import format_size, format_value

FEATURES = ("ext4",)
_MIB = 1 << 20
# From this time of a call on, the disk stands still: no slow one takes that.
_STALL_S = 1.0
# Processors that others may have without a word.
_OTHERS = 0.5
# A virtual board's disk gets a file system of its own; elsewhere a folder on a disk is sought.
_VIRTUAL = """\
if [ ! -b /dev/pbd ]; then echo "@failed place the board has no disk"; exit 0; fi
mke2fs -q -F -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 /dev/pbd &&
mkdir disk && mount -t ext4 /dev/pbd disk || exit 1
place=disk
"""
_LIVE = """\
found=$("$PROBE" disk place {folders})
place=${{found#@place * * }}
case $found in @place*) ;; *) echo "$found"; exit 0;; esac
"""
_USUAL = '"${TMPDIR:-.}" . /var/tmp "${HOME:-.}" /'
_POINT = re.compile(
    r"@point ([a-z]+)/(buffered|direct)/(\d{1,8})/(\d{1,3})"
    + r" (\d{1,18})" * 8
    + r" (\d{1,4}) ([a-z_]+)"
)


@dataclass(frozen=True)
class Point:
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


def size_for(bed: Bed) -> int:
    """Bytes of the file: twice the RAM, within what a disk can take in a row's time."""
    if bed.board:
        return min(2 * bed.ram, 16 * _MIB)
    most = 32 if bed.quick else 128
    return min(max(2 * bed.ram, 32 * _MIB), most * _MIB) // _MIB * _MIB


def points_work(bed: Bed, points: Sequence[str], milliseconds: int) -> Work:
    """The script that measures those points, each for that long."""
    size = size_for(bed)
    words = f'"$PROBE" disk points "$place" {size} {milliseconds} {" ".join(points)}'
    return Work(
        script_at(bed, words),
        packages=("e2fsprogs",) if bed.board else (),
        features=FEATURES,
        # A wait of half a minute for a disk is a figure, and no hang.
        limit_s=300 + len(points) * milliseconds / 100,
    )


def script_at(bed: Bed, script: str) -> str:
    """The script with `$place`, a folder on a disk."""
    folders = shlex.quote(bed.folder) if bed.folder else _USUAL
    return f"{_VIRTUAL if bed.board else _LIVE.format(folders=folders)}{script}\n"


def failure_of(output: str) -> str:
    """The words of the first "@failed WHAT WORDS", or ""."""
    for line in output.splitlines():
        if match := re.fullmatch(r"@failed \S+ (.{1,1000})", line):
            return printable(match[1])
    return ""


def points_of(output: str) -> list[Point]:
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
                Point(
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


def metrics_of(
    name: str, points: Sequence[Point], evidence: Evidence, *, operations: bool = False
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


def figures_of(
    known: Mapping[str, tuple[str, str]],
    points: Sequence[Point],
    evidence: Evidence,
    *,
    operations: bool = False,
) -> tuple[list[Metric], list[Figure]]:
    """All metrics, and a figure for each of `known` that was measured: by its text, the metric's
    name and the figure's words."""
    metrics: list[Metric] = []
    figures: list[Figure] = []
    for text, (name, words) in known.items():
        own = [point for point in points if point.text == text]
        if own:
            rate, busy, latencies = metrics_of(name, own, evidence, operations=operations)
            metrics += [rate, busy, *latencies]
            figures.append(Figure(words, rate, busy))
    return metrics, figures


def notes_of(output: str, points: Sequence[Point]) -> tuple[str, ...]:
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


def request_words(points: Sequence[Point]) -> str:
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
