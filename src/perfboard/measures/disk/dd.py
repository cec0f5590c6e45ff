# SPDX-License-Identifier: Apache-2.0
"""disk.dd and memory.dd: the target's own dd writes zeros to a file, and to a tmpfs."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, median

from perfboard.bench.job import TMPFS_PLACE, Job, NotMeasurable
from perfboard.measures.base import EXACT, Example, Finding, Measure, Setting, ShownMetric
from perfboard.measures.disk.points import PARAMETERS, QUICK, disk_job, failure_of
from perfboard.measures.rates import BUSY, limit_of, rate_quantities, rated
from perfboard.measures.reading import example_time, timed, times_of
from perfboard.model.run import Metric
from perfboard.model.units import format_size, format_value

# Without bs=, dd takes 512 bytes.
_BLOCKS = (512, 64 << 10)
_MIB = 1 << 20
_ROOM = """\
free=$(df -Pk "$place" | sed -n '$s/^[^ ]* *[0-9]* *[0-9]* *\\([0-9]*\\).*/\\1/p')
[ "${free:-0}" -gt %d ] || {
    "$PROBE" say refused what=dd why="no room: ${place%%/perfboard-*} has ${free:-0} kB free"
    exit 0; }
"""
_EXAMPLE = example_time("dd-512", 10**9, 500_000) + example_time("dd-65536", 10**9, 500_000)


class Dd(Measure):
    """The target's own dd writes zeros, by 512 bytes, its default, and by 64 KiB."""

    def __init__(self, name: str, title: str, *, in_memory: bool) -> None:
        self.name, self.title, self._in_memory = name, title, in_memory
        self.parameters = (QUICK,) if in_memory else PARAMETERS
        self.metrics = rate_quantities(
            name,
            "bytes a second that dd wrote: label block",
            "the processor's share of that time, dd's own",
        )
        figures = {f"{name}.bandwidth": 2**21, f"{name}.busy": 0.5}
        self.examples = (Example(_EXAMPLE, figures, facts=replace(EXACT, ram=16 << 20)),)

    def job(self, setting: Setting) -> Job:
        size = _size(setting)
        script = ""
        for block in _BLOCKS:
            # fsync() is no part of the bring-up study's dd; that of a file has it all the same.
            words = f"bs={block} count={size // block}{'' if self._in_memory else ' conv=fsync'}"
            command = f'exec dd if=/dev/zero of="$0" {words} 2> /dev/null'
            line = timed(f"dd-{block}", 1, ["sh", "-c", command, "PLACE"])
            script += line.replace("PLACE", '"$place/file"') * setting.repeats
        if self._in_memory:
            return Job(TMPFS_PLACE + _ROOM % (2 * size // 1024) + script, limit_s=900)
        return disk_job(setting, script, writes=size * len(_BLOCKS) * setting.repeats)

    def read(self, output: str, setting: Setting) -> Finding:
        size = _size(setting)
        metrics: list[Metric] = []
        figures: list[ShownMetric] = []
        times = times_of(output)
        for block in _BLOCKS:
            runs = [run for run in times.get(f"dd-{block}", []) if not run.status]
            if not runs:
                continue
            labels = {"block": format_size(block)}
            rates = [size // block * block / run.real_s for run in runs]
            shares = [min(1.0, run.busy_s / run.real_s) for run in runs]
            rate, busy = rated(self.name, labels, rates, shares)
            metrics += [rate, busy]
            figures.append(ShownMetric(f"dd by {format_size(block)}", rate, busy))
        if not figures:
            raise NotMeasurable(failure_of(output) or "the target's dd failed")
        limit = (
            _memory_limit(figures[-1].busy)
            if self._in_memory
            else limit_of(figures[-1].busy, setting.facts.evidence, "disk")
        )
        return Finding(tuple(metrics), tuple(figures), _short(figures), limit)


def _memory_limit(busy: Metric | None) -> str:
    """The processor, where it was dd's all the time; what waits otherwise, nothing tells."""
    share = mean(busy.samples) if busy is not None else 0.0
    return (
        f"the processor and its memory, busy for {share:.0%} of the time" if share >= BUSY else ""
    )


def _size(setting: Setting) -> int:
    """Bytes that dd writes: all of it fits where the bring-up study's did."""
    most = 4 if setting.parameters["quick"] or setting.facts.exact else 64
    return min(max(setting.facts.ram // 8, _MIB), most * _MIB) // _MIB * _MIB


def _short(figures: Sequence[ShownMetric]) -> str:
    rates = (
        f"{format_value(median(f.metric.samples), 'B/s')} by {f.metric.labels['block']}"
        for f in figures
    )
    return f"dd writes {', '.join(rates)}"


MEASURES = (
    Dd("disk.dd", "dd to a file", in_memory=False),
    Dd("memory.dd", "dd to a tmpfs", in_memory=True),
)
