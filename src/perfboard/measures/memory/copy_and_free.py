# SPDX-License-Identifier: Apache-2.0
"""memory.copy: mbw's three methods; memory.free: memory for applications after boot (study B)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from perfboard.bench.bed import Bed
from perfboard.bench.job import NotMeasurable, Work
from perfboard.measures.rows import Answer, Figure
from perfboard.model.run import Metric
from perfboard.model.units import format_size, format_value, parse_size
from perfboard.probes.records import read_process

_METHODS = {"memcpy": "memcpy, as mbw", "dumb": "word by word, as mbw", "block": "by blocks of mbw"}
# mbw's array in study B.
_ARRAY = 4 << 20
_LARGEST = 3
_USERS = """\
for status in /proc/[0-9]*/status; do
    sed -n 's/^Name:[[:space:]]*/@name /p; s/^RssAnon:[[:space:]]*/@anon /p' $status 2> /dev/null
done
"""
_NOT_WITHOUT_PROC = "/proc/meminfo does not say how much memory is free"


def _probed(bed: Bed, probe: str, seconds: int) -> tuple[tuple[Metric, ...], str]:
    """The metrics of one process of a probe, and all that the script printed."""
    work = Work(f'"$PROBE" {probe} --seconds {seconds} || exit 1\n{_USERS}', limit_s=600)
    output = bed.run(work)
    lines = [line for line in output.splitlines() if line.startswith("{")]
    report = read_process(probe, 0, lines, "exit 0")
    if not report.metrics:
        raise NotMeasurable(report.process.refused or f"{probe} measured nothing")
    return report.metrics, output


def _copied(words: str, metrics: Sequence[Metric]) -> Figure:
    """The least size that does not fall below mbw's, or else the largest."""
    by_size = {parse_size(metric.labels["size"]): metric for metric in metrics}
    size = min((size for size in by_size if size >= _ARRAY), default=max(by_size))
    return Figure(f"{words}, {format_size(size)}", by_size[size])


@dataclass(frozen=True)
class MemoryCopy:
    """Copies as mbw does, by the probe memory.copy, at mbw's size or above."""

    name: str = "memory.copy"
    title: str = "Copying memory by mbw's three methods"
    features: tuple[str, ...] = ()
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {"memory.copy.bandwidth": "bytes copied: labels method, loop, size"}
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return 0

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        metrics, _ = _probed(bed, "memory.copy", 2 if bed.quick else 6)
        figures = []
        for method, words in _METHODS.items():
            of_it = [
                m
                for m in metrics
                if m.labels.get("method") == method
                and m.labels.get("loop") in ("libc", "c")
                and "size" in m.labels
            ]
            if of_it:
                figures.append(_copied(words, of_it))
        if not figures:
            raise NotMeasurable("there is no room for two arrays of mbw's size")
        best = max(figures, key=lambda figure: median(figure.metric.samples))
        rate = format_value(median(best.metric.samples), "B/s")
        sentence = f"{best.title} is the fastest of mbw's methods here."
        limit = "the processor and its memory"
        return Answer(metrics, tuple(figures), f"copies {rate}", limit, sentence)


@dataclass(frozen=True)
class MemoryFree:
    """Free memory with cache and buffers counted as free, and who has the rest."""

    name: str = "memory.free"
    title: str = "Memory free for applications after boot"
    features: tuple[str, ...] = ()
    metrics: Mapping[str, str] = field(
        default_factory=lambda: {
            "system.ram.available": "label by: free+cache counts the page cache as free",
            "system.ram.kernel": "what the kernel took when it started",
            "system.ram.user": "memory of its own that a program has: label program",
        }
    )

    def writes(self, bed: Bed) -> int:
        """See `Row`."""
        return 0

    def measure(self, bed: Bed) -> Answer:
        """See `Row`."""
        metrics, output = _probed(bed, "system.memory", 1)
        free = next((m for m in metrics if m.labels.get("by") == "free+cache"), None)
        if free is None:
            raise NotMeasurable(_NOT_WITHOUT_PROC)
        largest = sorted(_users(output).items(), key=lambda pair: -pair[1])[:_LARGEST]
        users = tuple(
            Metric(name="system.ram.user", unit="B", labels={"program": name}, samples=(size,))
            for name, size in largest
        )
        figures = [Figure("free, page cache counted as free", free)]
        if (
            kernel := next((m for m in metrics if m.name == "system.ram.kernel"), None)
        ) is not None:
            figures.append(Figure("taken by the kernel at boot", kernel))
        figures += [Figure(f"program {m.labels['program']}", m) for m in users]
        named = ", ".join(f"{name} ({format_value(size, 'B')})" for name, size in largest)
        sentence = f"The largest users of their own memory: {named}." if named else ""
        short = f"{format_value(free.samples[0], 'B')} free"
        limit = f"its RAM, {format_value(bed.ram, 'B')}" if bed.ram else ""
        return Answer((*metrics, *users), tuple(figures), short, limit, sentence)


def _users(output: str) -> dict[str, float]:
    """The bytes of anonymous memory that the processes of each name have together."""
    found: dict[str, float] = {}
    name = ""
    for line in output.splitlines():
        if match := re.fullmatch(r"@name (.{1,64})", line):
            name = match[1]
        elif match := re.fullmatch(r"@anon (\d{1,15}) kB", line):
            found[name] = found.get(name, 0) + int(match[1]) * 1024
    return {name: size for name, size in found.items() if name and size}


ROWS = (MemoryCopy(), MemoryFree())
