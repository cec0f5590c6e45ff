# SPDX-License-Identifier: Apache-2.0
"""memory.application: a program's memory before and after a task (study A)."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfboard.bench.job import PLACE, NotMeasurable, Work
from perfboard.measures.base import Figure, Parameter, packages, text, whole
from perfboard.measures.memory.figures import memory_figures, memory_metric
from perfboard.model.profile import Value
from perfboard.model.run import Metric

_WHEN = ("start", "highest", "lasting")
_ROW = re.compile(
    rf"@memory ({'|'.join(_WHEN)}) (\d{{1,18}}) (\d{{1,18}}) (\d{{1,18}}) (\d{{1,18}})"
)
_BEFORE = re.compile(r"@before (\d{1,18})")


@dataclass(frozen=True)
class MemoryApplication:
    """The probe adds up the memory of a command and its children (native/probe/run/memory.c)."""

    name: str = "memory.application"
    title: str = "Memory of an application"
    parameters: Mapping[str, Parameter] = field(
        default_factory=lambda: {
            "command": Parameter("", "the application, as a shell command"),
            "task": Parameter("", 'its task, as another; "": it has one of its own, and ends'),
            "packages": Parameter("", "Debian packages that a virtual board has them from"),
            "settle_ms": Parameter(1000, "ms before it is looked at, and after the task"),
        }
    )
    metrics: Mapping[str, Figure] = field(
        default_factory=lambda: memory_figures(
            "memory.application",
            "label when (start, highest, lasting; of free also before, and highest is the least)",
            has_vsz=False,
        )
    )

    def commands(self, parameters: Mapping[str, Value]) -> Sequence[str]:
        """See `Workload`."""
        return [str(parameters[name]) for name in ("command", "task") if parameters[name]]

    def plan(self, parameters: Mapping[str, Value], repeats: int) -> Work:
        """See `Workload`."""
        command, task = text(parameters, "command"), text(parameters, "task")
        settle = whole(parameters, "settle_ms")
        if not command:
            raise NotMeasurable("wants a command")
        words = shlex.join([str(settle), command, *([task] if task else [])])
        line = f'"$PROBE" memory {words} || exit 1\n'
        whole_path = 'place=$(cd "$place" && pwd) && export place || exit 1\n'
        return Work(
            f"{PLACE.script}{whole_path}{line * repeats}",
            packages=(*PLACE.packages, *packages(parameters)),
            features=PLACE.features,
        )

    def read(
        self, output: str, parameters: Mapping[str, Value], repeats: int
    ) -> tuple[Metric, ...]:
        """See `Workload`."""
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
        return tuple(metrics)


WORKLOADS = (MemoryApplication(),)
