# SPDX-License-Identifier: Apache-2.0
"""The words that a target's script prints, read."""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from perfboard.bench.job import NotMeasurable, check_ended
from perfboard.model.run import Metric
from perfboard.model.text import printable


@dataclass(frozen=True)
class CommandTime:
    """One run of a command, as native/probe/run/time.c prints it."""

    real_s: float
    busy_s: float
    resident_bytes: int
    status: int


_TIMED = re.compile(r"([1-9]\d{0,18}) (\d{1,19}) (\d{1,19}) (\d{1,19}) (\d{1,3}) \d{1,19}")


_REASON = 200


_HEAD = re.compile(r"@([a-z]+) (\S+)(?: (.*))?")


def timed(label: str, count: int, command: Sequence[str], output: str = "/dev/null") -> str:
    """A line of a script that times a command `count` times under that label."""
    words = shlex.join(command)
    return (
        f'rm -f times; "$PROBE" time times {count} {words} > {output}; '
        f"echo @time {shlex.quote(label)}; cat times\n"
    )


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
    label = None
    for line in output.splitlines():
        if match := _HEAD.fullmatch(line):
            label = match[2] if match[1] == "time" else None
            if label is not None:
                found.setdefault(label, [])
        elif label is not None and (row := _TIMED.fullmatch(line)):
            real, user, system, resident, status = map(int, row.groups())
            found[label].append(
                CommandTime(real / 1e9, (user + system) / 1e6, resident * 1024, status)
            )
    return found


def time_metrics(
    name: str,
    runs: Sequence[CommandTime],
    labels: Mapping[str, str] = MappingProxyType({}),
    units: int = 1,
) -> list[Metric]:
    """NAME.time of a command's runs, each for one of its `units`, and NAME.busy beside it."""
    times = tuple(run.real_s / units for run in runs)
    busy = tuple(min(1.0, run.busy_s / run.real_s) for run in runs)
    return [
        Metric(name=f"{name}.time", unit="s", labels=dict(labels), samples=times),
        Metric(name=f"{name}.busy", unit="1", labels=dict(labels), samples=busy),
    ]


def printed(output: str, name: str) -> str:
    """The text that the script printed as "@say NAME TEXT", or ""."""
    for line in output.splitlines():
        match = _HEAD.fullmatch(line)
        if match and match[1] == "say" and match[2] == name:
            return match[3] or ""
    return ""


def absences(output: str, names: Collection[str]) -> dict[str, str]:
    """The metrics among `names` that the script printed as "@absent NAME REASON", and why."""
    heads = (match for line in output.splitlines() if (match := _HEAD.fullmatch(line)))
    return {
        head[2]: printable((head[3] or "")[:_REASON])
        for head in heads
        if head[1] == "absent" and head[2] in names
    }
