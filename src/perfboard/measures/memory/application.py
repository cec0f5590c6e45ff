# SPDX-License-Identifier: Apache-2.0
"""memory.application: a program's memory before and after a task (study A)."""

import re
import shlex
from collections.abc import Mapping, Sequence

from perfboard.bench.job import OWN_FOLDER, Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Setting
from perfboard.measures.memory.figures import memory_figures, memory_metric
from perfboard.model.profile import Value

_WHEN = ("start", "highest", "lasting")
_ROW = re.compile(
    rf"@memory ({'|'.join(_WHEN)}) (\d{{1,18}}) (\d{{1,18}}) (\d{{1,18}}) (\d{{1,18}})"
)
_BEFORE = re.compile(r"@before (\d{1,18})")


class MemoryApplication(Measure):
    """The probe adds up the memory of a command and its children."""

    name = "memory.application"
    title = "Memory of an application"
    parameters = (
        Parameter("command", "", "the application, as a shell command"),
        Parameter("task", "", 'its task, as another; "": it has one of its own, and ends'),
        Parameter("packages", "", "Debian packages that a virtual board has them from"),
        Parameter("settle_ms", 1000, "ms before it is looked at, and after the task"),
    )
    metrics = memory_figures(
        "memory.application",
        "label when (start, highest, lasting; of free also before, and highest is the least)",
        has_vsz=False,
    )
    examples = (
        Example(
            "@before 9000000\n"
            + "".join(f"@memory {when} 3000 2000 1000 8000000\n" for when in _WHEN),
            {
                "memory.application.rss": 3000,
                "memory.application.pss": 2000,
                "memory.application.uss": 1000,
                "memory.application.free": 9_000_000,
            },
            {"command": "sleep 3", "task": "true"},
        ),
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        return [str(parameters[name]) for name in ("command", "task") if parameters[name]]

    def job(self, setting: Setting) -> Job:
        command, task = setting.text("command"), setting.text("task")
        settle = setting.whole("settle_ms")
        if not command:
            raise NotMeasurable("wants a command")
        words = shlex.join([str(settle), command, *([task] if task else [])])
        line = f'"$PROBE" memory {words} || exit 1\n'
        whole_path = 'place=$(cd "$place" && pwd) && export place || exit 1\n'
        return Job(
            f"{OWN_FOLDER.script}{whole_path}{line * setting.repeats}",
            packages=(*OWN_FOLDER.packages, *setting.packages()),
            features=OWN_FOLDER.features,
        )

    def read(self, output: str, setting: Setting) -> Finding:
        repeats = setting.repeats
        before, found = list[float](), dict[str, list[tuple[float, ...]]]()
        for line in output.splitlines():
            if match := _BEFORE.fullmatch(line):
                before.append(float(match[1]))
            elif match := _ROW.fullmatch(line):
                found.setdefault(match[1], []).append(tuple(map(float, match.groups()[1:])))
        if len(before) != repeats or any(len(found.get(when, ())) != repeats for when in _WHEN):
            raise NotMeasurable("the probe has not said what memory there was")
        metrics = [memory_metric(self.name, "free", {"when": "before"}, before)]
        for when in _WHEN:
            for name, samples in zip(
                ("rss", "pss", "uss", "free"), zip(*found[when], strict=True), strict=True
            ):
                metrics.append(memory_metric(self.name, name, {"when": when}, samples))
        return Finding(tuple(metrics))


MEASURES = (MemoryApplication(),)
