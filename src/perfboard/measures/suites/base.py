# SPDX-License-Identifier: Apache-2.0
"""Suites that people publish figures of, by 1, 2 and as many threads as there are processors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.base import Finding, Measure, Parameter, Setting, ShownMetric
from perfboard.measures.reading import SaidRow, say
from perfboard.model.rows import read_row
from perfboard.model.run import Metric
from perfboard.model.units import format_value

# Each line of a suite's output begins with it, so that none is taken for a row.
QUOTE = ">"
_MOST_OUTPUT = 100_000
# The label of the metrics, but for those of one thread.
_THREADS = "threads"
_MANY = 4096
_COUNT = """\
n=$(grep -c '^processor' /proc/cpuinfo)
[ "$n" -gt 0 ] || n=1
"""
_EACH = """\
had=
for t in 1 2 $n; do
    case " $had " in *" $t "*) continue;; esac
    [ "$t" -le "$n" ] || continue
    had="$had $t"
"""


class Suite(Measure):
    """A suite's own commands, whose output has their figures."""

    # The commands by a name of each, in which $t is the number of threads.
    commands_of: ClassVar[Mapping[str, str]]
    programs: ClassVar[tuple[str, ...]]
    packages: ClassVar[tuple[str, ...]]
    parameters = (
        Parameter(
            "most", 0, "threads at most; 0: as many as the board has processors", labels=False
        ),
    )

    def figures(self, name: str, lines: Sequence[str]) -> Mapping[str, float]:
        """The figures that a command of that name printed, by the metrics' names."""
        raise NotImplementedError

    def job(self, setting: Setting) -> Job:
        most = setting.whole("most", 0)
        least = f'[ "$n" -le {most} ] || n={most}\n' if most else ""
        shown = f"2>&1 | head -c {_MOST_OUTPUT} | sed 's/^/{QUOTE}/'; echo\n"
        runs = "".join(
            f"    {say(name, '$t')}    {command} {shown}"
            for name, command in self.commands_of.items()
        )
        script = f"{_COUNT}{least}{_EACH}{runs * setting.repeats}done\n"
        return Job(script, programs=self.programs, packages=self.packages, limit_s=3600)

    def read(self, output: str, setting: Setting) -> Finding:
        found: dict[tuple[str, int], list[float]] = {}
        for name, threads, lines in _runs(output):
            if name in self.commands_of:
                for metric, value in self.figures(name, lines).items():
                    found.setdefault((metric, threads), []).append(value)
        metrics = [
            quantity.metric(found[quantity.name, threads], _labels(threads))
            for threads in sorted({threads for _, threads in found})
            for quantity in self.metrics
            if (quantity.name, threads) in found
        ]
        if not metrics:
            raise NotMeasurable(f"{self.programs[0]} printed no figure")
        shown = tuple(ShownMetric(_title(metric), metric) for metric in metrics)
        first = metrics[0]
        short = f"{format_value(first.samples[0], first.unit)}, {_title(first)}"
        return Finding(tuple(metrics), shown, short, "the processor")


def _labels(threads: int) -> dict[str, str]:
    return {_THREADS: str(threads)} if threads > 1 else {}


def _title(metric: Metric) -> str:
    threads = metric.labels.get(_THREADS, "1")
    name = metric.name.partition(".")[2]
    return f"{name}, {threads} thread{'' if threads == '1' else 's'}"


def _runs(output: str) -> Iterator[tuple[str, int, list[str]]]:
    """Each command that ran: its name, its threads, and the lines that it printed."""
    name, threads, lines = "", 0, list[str]()
    for line in output.split("\n"):
        if line.startswith(QUOTE):
            lines.append(line.removeprefix(QUOTE).strip())
        elif (row := read_row(line, SaidRow)) is not None:
            if threads:
                yield name, threads, lines
            number = row.text if row.text.isascii() and row.text.isdigit() else "0"
            name, threads, lines = row.name, int(number[:5]), []
            threads = threads if threads <= _MANY else 0
    if threads:
        yield name, threads, lines


def number_of(word: str, most: float = 1e15) -> float | None:
    """A positive number, or None for another word."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if 0 < value <= most else None
