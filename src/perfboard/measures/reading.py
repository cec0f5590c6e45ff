# SPDX-License-Identifier: Apache-2.0
"""The rows that a target's script prints, read."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field

from perfboard.bench.job import NotMeasurable, check_ended
from perfboard.model.rows import Count, Positive, RefusedRow, Row, Text, Word, read_rows, row_line
from perfboard.model.run import Metric


class CommandTime(Row):
    """One run of a command, as native/probe/commands/time.c prints it."""

    row: Literal["time"]
    label: Word
    real_ns: Positive
    user_us: Count
    system_us: Count
    resident_kb: Count
    status: Annotated[Count, Field(lt=1000)]

    @property
    def real_s(self) -> float:
        """From its start to its end."""
        return self.real_ns / 1e9

    @property
    def busy_s(self) -> float:
        """Its time on a processor."""
        return (self.user_us + self.system_us) / 1e6

    @property
    def resident_bytes(self) -> int:
        """The most memory that it had."""
        return self.resident_kb * 1024


class SaidRow(Row):
    """A text of a script, as `say` prints it."""

    row: Literal["said"]
    name: Word
    text: Text


class _AbsentRow(Row):
    row: Literal["absent"]
    metric: Word
    why: Text


def timed(label: str, count: int, command: Sequence[str], output: str = "/dev/null") -> str:
    """A line of a script that times a command `count` times under that label."""
    words, name = shlex.join(command), shlex.quote(label)
    return f'rm -f times; "$PROBE" time times {name} {count} {words} > {output}; cat times\n'


def say(name: str, text: str) -> str:
    """A line of a script that prints a text, in the shell's double quotes, for `printed`."""
    return f'"$PROBE" say said name={shlex.quote(name)} text="{text}"\n'


def example_text(name: str, text: str) -> str:
    """The output of `say`, as an example has it."""
    return row_line("said", name=name, text=text)


def ended_runs(output: str, label: str, program: str) -> list[CommandTime]:
    """The runs of a script's command. Raises NotMeasurable if there are none, or one failed."""
    runs = times_of(output).get(label, [])
    if not runs:
        raise NotMeasurable(f"{program} has not run")
    for run in runs:
        check_ended(program, run.status)
    return runs


def times_of(output: str) -> dict[str, list[CommandTime]]:
    """The times of a script's commands, by their labels."""
    found: dict[str, list[CommandTime]] = {}
    for row in read_rows(output, CommandTime):
        found.setdefault(row.label, []).append(row)
    return found


def time_metrics(
    name: str,
    runs: Sequence[CommandTime],
    labels: Mapping[str, str] = MappingProxyType({}),
    units: int = 1,
) -> list[Metric]:
    """NAME.time of a command's runs, each for one of its `units`, and NAME.busy with it."""
    times = tuple(run.real_s / units for run in runs)
    busy = tuple(min(1.0, run.busy_s / run.real_s) for run in runs)
    return [
        Metric(name=f"{name}.time", unit="s", labels=dict(labels), samples=times),
        Metric(name=f"{name}.busy", unit="1", labels=dict(labels), samples=busy),
    ]


def example_time(label: str, real_ns: int, user_us: int, status: int = 0) -> str:
    """The output of `timed` for one run, as an example has it."""
    taken = {"real_ns": real_ns, "user_us": user_us, "system_us": 0, "resident_kb": 1024}
    return row_line("time", label=label, **taken, status=status)


def printed(output: str, name: str) -> str:
    """The first text that the script printed by `say` under that name, or ""."""
    return next((row.text for row in read_rows(output, SaidRow) if row.name == name), "")


def absences(output: str, names: Collection[str]) -> dict[str, str]:
    """The reasons why the target gave none of some metrics among `names`, by the metric."""
    return {row.metric: row.why for row in read_rows(output, _AbsentRow) if row.metric in names}


def refusals(output: str) -> dict[str, str]:
    """The reasons why programs of ours found nothing, by what they looked for."""
    return {row.what: row.why for row in read_rows(output, RefusedRow)}
