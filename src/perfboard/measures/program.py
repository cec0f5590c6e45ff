# SPDX-License-Identifier: Apache-2.0
"""program: how long a program of the user's takes, or the number that it prints."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Self, cast

from perfboard.bench.job import Job, NotMeasurable, check_ended
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
from perfboard.measures.pattern import MOST_OUTPUT, check_pattern, numbers_in
from perfboard.measures.reading import CommandTime, example_time, time_metrics, timed, times_of
from perfboard.model.budget import UNITS
from perfboard.model.profile import Value
from perfboard.model.rows import read_row
from perfboard.model.run import Unit
from perfboard.model.text import nearest

# A shell's statuses for a program that it cannot run; those above the last are of signals.
_NOT_RUN = (126, 127)
_LAST = 128
_RESULT = "program.result"
_BETTER: tuple[Literal["lower", "higher"], ...] = ("lower", "higher")
# Each line of the program's output begins with it, so that none is taken for a row.
_QUOTE = ">"
_CUT = f"The first {MOST_OUTPUT / 1e6:g} MB of its output was looked at."


class ProgramTime(Measure):
    """The probe times a command without input; a pattern finds a number in its output."""

    name = "program"
    title = "Time of a program"
    parameters = (
        Parameter("command", "", "the program with its arguments, as a shell command"),
        PACKAGES,
        FILES,
        Parameter(
            "pattern",
            "",
            "a regular expression with one group, which is the number; the last line counts that "
            "it fits",
        ),
        Parameter(
            "unit", "", f"that of the number, 1 of a count: {', '.join(UNITS)}", labels=False
        ),
        Parameter("better", "lower", "which number is better: lower, higher", labels=False),
    )
    metrics: tuple[Quantity, ...] = (
        Quantity("program.time", "s", "from its start to its end"),
        Quantity("program.busy", "1", "the processor's share of that time, its own and its calls'"),
        Quantity("program.memory", "B", "resident, the most of any one process"),
        Quantity("program.exit", "1", "its exit code"),
        Quantity(_RESULT, "1", "the number that `pattern` finds, in `unit`"),
    )
    examples = (
        Example(
            example_time("program", 2 * 10**9, 1_000_000, status=3) + ">score 4\n>score 5\n",
            {
                "program.time": 2,
                "program.busy": 0.5,
                "program.memory": 1 << 20,
                "program.exit": 3,
                _RESULT: 5,
            },
            {"command": "sort big", "packages": "coreutils", "pattern": "score (.*)", "unit": "1"},
        ),
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        return [str(parameters["command"])] if parameters["command"] else []

    def given(self, parameters: Mapping[str, Value]) -> Self:
        own, better = copy.copy(self), parameters.get("better")
        unit, _ = UNITS.get(str(parameters.get("unit")), ("1", 1.0))
        result = replace(
            self.metrics[4],
            unit=cast(Unit, unit),
            better=next((each for each in _BETTER if each == better), "lower"),
        )
        own.metrics = (*self.metrics[:4], result)
        return own

    def job(self, setting: Setting) -> Job:
        command, pattern = setting.text("command"), setting.text("pattern")
        if not command:
            raise NotMeasurable("needs a command")
        self._check_number(setting)
        # A console's input is not the command's.
        words = ("sh", "-c", f"exec < /dev/null\n{command}")
        script = timed("program", setting.repeats, words)
        if pattern:
            once = timed("program", 1, words, "printed")
            shows = f"head -c {MOST_OUTPUT} printed | sed 's/^/{_QUOTE}/'; echo\n"
            script = f"{once}{shows}" * setting.repeats
        return with_own(Job(script, packages=setting.packages()), own_files(setting))

    def _check_number(self, setting: Setting) -> None:
        """Raises NotMeasurable for a pattern, a unit or a way that says nothing."""
        pattern, unit, better = (setting.text(name) for name in ("pattern", "unit", "better"))
        if pattern:
            check_pattern(pattern)
            if not unit:
                raise NotMeasurable(
                    "pattern needs a unit: s, MB/s, 1/s, ..., and 1 for a count that is the same "
                    "however fast the board is"
                )
        elif unit:
            raise NotMeasurable("unit is that of the number that `pattern` finds; give that too")
        if unit and unit not in UNITS:
            raise NotMeasurable(f'unit: there is no "{unit}"{nearest(unit, UNITS)}')
        if better not in _BETTER:
            raise NotMeasurable(f'better is "{better}"; give lower or higher')

    def read(self, output: str, setting: Setting) -> Finding:
        rows = "\n".join(one for one in output.split("\n") if not one.startswith(_QUOTE))
        runs = times_of(rows).get("program", [])
        if not runs:
            raise NotMeasurable("the command has not run")
        for run in runs:
            if run.status in _NOT_RUN:
                raise NotMeasurable(f"the command names a program that is not there ({run.status})")
            if run.status > _LAST:
                check_ended("the command", run.status)
        time, busy = time_metrics(self.name, runs)
        memory = self.metrics[2].metric(run.resident_bytes for run in runs)
        code = self.metrics[3].metric(run.status for run in runs)
        metrics = [time, busy, memory, code]
        shown = [
            ShownMetric("from start to end", time, busy),
            ShownMetric("resident memory", memory),
            ShownMetric("exit code", code),
        ]
        notes: tuple[str, ...] = ()
        if pattern := setting.text("pattern"):
            self._check_number(setting)
            texts = list(_printed(output))
            share = UNITS[setting.text("unit")][1]
            result = self.given(setting.parameters).metrics[4]
            found = result.metric(share * number for number in numbers_in(pattern, texts))
            metrics.append(found)
            shown.insert(0, ShownMetric("the number that it prints", found))
            long = any(sum(map(len, text)) >= MOST_OUTPUT - 2 * len(text) for text in texts)
            notes = (_CUT,) if long else ()
        return Finding(tuple(metrics), tuple(shown), notes=notes)


def _printed(output: str) -> Iterator[list[str]]:
    """The lines that each run of the command printed."""
    text: list[str] | None = None
    for line in output.split("\n"):
        if line.startswith(_QUOTE):
            if text is not None:
                text.append(line.removeprefix(_QUOTE))
        elif read_row(line, CommandTime) is not None:
            if text is not None:
                yield text
            text = []
    if text is not None:
        yield text


MEASURES = (ProgramTime(),)
