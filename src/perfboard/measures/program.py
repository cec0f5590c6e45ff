# SPDX-License-Identifier: Apache-2.0
"""program: how long a command of the user's takes."""

from collections.abc import Mapping, Sequence

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
from perfboard.measures.reading import example_time, time_metrics, timed, times_of
from perfboard.model.profile import Value

# A shell's statuses for a program that it cannot run; those above the last are of signals.
_NOT_RUN = (126, 127)
_LAST = 128


class ProgramTime(Measure):
    """The probe times a command, whose input is empty and whose output goes to /dev/null."""

    name = "program"
    title = "Time of a program"
    parameters = (
        Parameter("command", "", "the program with its arguments, as a shell command"),
        Parameter("packages", "", "Debian packages that a virtual board has it from", labels=False),
    )
    metrics = (
        Quantity("program.time", "s", "from its start to its end"),
        Quantity("program.busy", "1", "the processor's share of that time, its own and its calls'"),
        Quantity("program.memory", "B", "resident, the most of any one process"),
        Quantity("program.exit", "1", "its exit code"),
    )
    examples = (
        Example(
            example_time("program", 2 * 10**9, 1_000_000, status=3),
            {
                "program.time": 2,
                "program.busy": 0.5,
                "program.memory": 1 << 20,
                "program.exit": 3,
            },
            {"command": "sort big", "packages": "coreutils"},
        ),
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        return [str(parameters["command"])] if parameters["command"] else []

    def job(self, setting: Setting) -> Job:
        command = setting.text("command")
        if not command:
            raise NotMeasurable("wants a command")
        # A console's input is not the command's.
        words = ("sh", "-c", f"exec < /dev/null\n{command}")
        return Job(timed("program", setting.repeats, words), packages=setting.packages())

    def read(self, output: str, setting: Setting) -> Finding:
        runs = times_of(output).get("program", [])
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
        shown = (
            ShownMetric("from start to end", time, busy),
            ShownMetric("resident memory", memory),
            ShownMetric("exit code", code),
        )
        return Finding((time, busy, memory, code), shown)


MEASURES = (ProgramTime(),)
