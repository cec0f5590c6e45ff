# SPDX-License-Identifier: Apache-2.0
"""memory.free: memory for applications after boot, and who has the rest (study B)."""

import re

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Quantity, Setting, ShownMetric
from perfboard.model.run import Metric
from perfboard.model.units import format_value
from perfboard.probes.records import Merger, read_process

_LARGEST = 3
# A process may end meanwhile.
_USERS = "grep -hE '^(Name|RssAnon):' /proc/[0-9]*/status 2> /dev/null || true\n"
_OF_OURS = "It is that of a small system of Perfboard's without services, not of the board's image."
_NOT_WITHOUT_PROC = "/proc/meminfo does not say how much memory is free"


class MemoryFree(Measure):
    """Free memory with cache and buffers counted as free, and who has the rest."""

    name = "memory.free"
    title = "Memory free for applications after boot"
    metrics = (
        Quantity(
            "system.ram.available",
            "B",
            "label by: free+cache counts the page cache as free",
            "higher",
        ),
        Quantity("system.ram.kernel", "B", "what the kernel took when it started"),
        Quantity("system.ram.user", "B", "memory of its own that a program has: label program"),
    )
    examples = (
        Example(
            '{"metric":"system.ram.available","unit":"B","better":"higher",'
            '"labels":{"by":"free+cache"},"samples":[25505792]}\n'
            '{"metric":"system.ram.kernel","unit":"B","better":"lower","samples":[4096]}\n'
            '{"end":{"elapsed_s":0.1}}\nName:\tinit\nRssAnon:\t     100 kB\n',
            {
                "system.ram.available": 25505792,
                "system.ram.kernel": 4096,
                "system.ram.user": 102400,
            },
        ),
    )

    def job(self, setting: Setting) -> Job:
        line = '"$PROBE" system.memory --seconds 1 || exit 1\n'
        return Job(f"{line * setting.repeats}{_USERS}")

    def read(self, output: str, setting: Setting) -> Finding:
        metrics = _probed(output)
        free = next((m for m in metrics if m.labels.get("by") == "free+cache"), None)
        if free is None:
            raise NotMeasurable(_NOT_WITHOUT_PROC)
        largest = sorted(_users(output).items(), key=lambda pair: -pair[1])[:_LARGEST]
        users = tuple(
            Metric(name="system.ram.user", unit="B", labels={"program": name}, samples=(size,))
            for name, size in largest
        )
        figures = [ShownMetric("free, page cache counted as free", free)]
        if (
            kernel := next((m for m in metrics if m.name == "system.ram.kernel"), None)
        ) is not None:
            figures.append(ShownMetric("taken by the kernel at boot", kernel))
        figures += [ShownMetric(f"program {m.labels['program']}", m) for m in users]
        named = ", ".join(f"{name} ({format_value(size, 'B')})" for name, size in largest)
        sentences = [f"The largest users of their own memory: {named}."] if named else []
        if setting.facts.exact:
            sentences.append(_OF_OURS)
        short = f"{format_value(free.samples[0], 'B')} free"
        ram = setting.facts.ram
        limit = f"its RAM, {format_value(ram, 'B')}" if ram else ""
        return Finding((*metrics, *users), tuple(figures), short, limit, " ".join(sentences))


def _probed(output: str) -> list[Metric]:
    """The metrics of all processes of the probe, each with a sample of each."""
    merger, lines = Merger(), list[str]()
    for line in output.splitlines():
        if line.startswith("{"):
            lines.append(line)
        if line.startswith('{"end"'):
            merger.add(read_process("system.memory", len(merger.processes), lines, "exit 0"))
            lines = []
    metrics = merger.metrics()
    if not metrics:
        refused = {process.refused: None for process in merger.processes if process.refused}
        raise NotMeasurable("; ".join(refused) or "system.memory measured nothing")
    # The processes are no part of the run.
    return [metric.model_copy(update={"processes": ()}) for metric in metrics]


def _users(output: str) -> dict[str, float]:
    """The bytes of anonymous memory that the processes of each name have together: proc(5)."""
    found: dict[str, float] = {}
    name = ""
    for line in output.splitlines():
        if match := re.fullmatch(r"Name:\s+(.{1,64})", line):
            name = match[1]
        elif match := re.fullmatch(r"RssAnon:\s+(\d{1,15}) kB", line):
            found[name] = found.get(name, 0) + int(match[1]) * 1024
    return {name: size for name, size in found.items() if name and size}


MEASURES = (MemoryFree(),)
