# SPDX-License-Identifier: Apache-2.0
"""memory.free: memory for applications after boot, and who has the rest (bring-up study, 2010)."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from perfboard.bench.base import Facts
from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import (
    Example,
    Finding,
    Measure,
    Parameter,
    Quantity,
    Setting,
    ShownMetric,
)
from perfboard.measures.own_files import FILES, PACKAGES, own_files, with_own
from perfboard.measures.reading import refusals
from perfboard.model.profile import Value
from perfboard.model.results.base import count_words
from perfboard.model.run import Metric
from perfboard.model.units import format_value
from perfboard.probes.records import Merger, read_process

_LARGEST = 3
# A process may end meanwhile.
_USERS = "grep -hE '^(Name|RssAnon):' /proc/[0-9]*/status 2> /dev/null || true\n"
# Each in a shell of its own; one that fails says so by a file.
_START = """\
mkdir -p /run /var/run /var/log /var/lib/misc
ifconfig lo 127.0.0.1 up 2> /dev/null
{lines}sleep {settle}
if [ -s failed ]; then
    "$PROBE" say refused what=services why="$(head -n 1 failed)"; exit 0
fi
"""
_ONE = """\
{{ sh -c {line} > said.{n} 2>&1 < /dev/null ||
    echo {line} "ended with $?: $(tail -n 1 said.{n})" >> failed; }} &
"""
_MOST_SERVICES = 50
_OF_OURS = "It is that of a small system of Perfboard's {}, and not of the board's image."
_NONE = "without services"
_SOLD = "The board is sold with {}, and the virtual one has {}."
_GPU = "Its GPU takes {} of the real board's, which Linux is not given ({})."
_NO_GPU = "It is not known how much of it the real board's GPU takes."
_NOT_WITHOUT_PROC = "/proc/meminfo does not say how much memory is free"


class MemoryFree(Measure):
    """Free memory with cache and buffers counted as free, and who has the rest."""

    name = "memory.free"
    title = "Memory free for applications after boot"
    parameters = (
        Parameter(
            "services",
            "",
            "shell commands that start what is to run then, one a line; a live target is "
            "measured as it runs",
            labels=False,
        ),
        PACKAGES,
        FILES,
        Parameter("settle_s", 5, "s that they have before it is looked at", labels=False),
    )
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

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        return [line for line in str(parameters["services"]).splitlines() if line.strip()]

    def job(self, setting: Setting) -> Job:
        line = '"$PROBE" system.memory --seconds 1 || exit 1\n'
        services, settle = self._services(setting), setting.whole("settle_s")
        starts = ""
        if services and setting.facts.exact:
            lines = (_ONE.format(line=shlex.quote(each), n=n) for n, each in enumerate(services))
            starts = _START.format(lines="".join(lines), settle=settle)
        job = Job(f"{starts}{line * setting.repeats}{_USERS}", packages=setting.packages())
        return with_own(job, own_files(setting))

    def _services(self, setting: Setting) -> Sequence[str]:
        """The command of each. Raises NotMeasurable."""
        setting.text("services")
        services = self.commands(setting.parameters)
        if len(services) > _MOST_SERVICES:
            raise NotMeasurable(f"services has {len(services)} lines, and {_MOST_SERVICES} is most")
        return services

    def read(self, output: str, setting: Setting) -> Finding:
        if why := refusals(output).get("services"):
            raise NotMeasurable(f"services: {why}")
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
            count = len(self._services(setting))
            running = f"with {count_words(count, 'service', 'services')}" if count else _NONE
            sentences += [_OF_OURS.format(running), *_of_real_board(setting.facts)]
        short = f"{format_value(free.samples[0], 'B')} free"
        ram = setting.facts.ram
        limit = f"its RAM, {format_value(ram, 'B')}" if ram else ""
        return Finding((*metrics, *users), tuple(figures), short, limit, " ".join(sentences))


def _of_real_board(facts: Facts) -> Iterator[str]:
    """Sentences on the memory of the real board, which has more, or a GPU."""
    if facts.sold_ram and facts.sold_ram != facts.ram:
        sold, ram = (format_value(size, "B") for size in (facts.sold_ram, facts.ram))
        yield _SOLD.format(sold, ram)
    if facts.gpu is not None:
        yield _GPU.format(format_value(facts.gpu.memory, "B"), facts.gpu.source)
    else:
        yield _NO_GPU


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
