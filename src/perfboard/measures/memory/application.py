# SPDX-License-Identifier: Apache-2.0
"""memory.application: a program's memory before and after a task (set-top box study, 2002)."""

import shlex
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from perfboard.bench.job import OWN_FOLDER, Job, NotMeasurable
from perfboard.measures.base import Example, Finding, Measure, Parameter, Setting
from perfboard.measures.memory.figures import memory_figures, memory_metric
from perfboard.model.profile import Value
from perfboard.model.rows import Count, Row, read_rows, row_line

_WHEN = ("start", "highest", "lasting")
_KINDS = ("rss", "pss", "uss", "vsz", "free")
_FIGURES = {
    "rss_bytes": 3000,
    "pss_bytes": 2000,
    "uss_bytes": 1000,
    "vsz_bytes": 9000,
    "free_bytes": 8_000_000,
}


class ApplicationMemoryRow(Row):
    """The memory of the command and its children, and the system's free memory."""

    row: Literal["memory"]
    when: Literal["start", "highest", "lasting"]
    rss_bytes: Count
    pss_bytes: Count
    uss_bytes: Count
    vsz_bytes: Count
    free_bytes: Count


class FreeBeforeRow(Row):
    """The system's free memory before the command began."""

    row: Literal["before"]
    free_bytes: Count


class MemoryApplication(Measure):
    """The probe adds up the memory of a command and its children."""

    name = "memory.application"
    labels = MappingProxyType({"when": ("before", *_WHEN)})
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
    )
    examples = (
        Example(
            row_line("before", free_bytes=9_000_000)
            + "".join(row_line("memory", when=when, **_FIGURES) for when in _WHEN),
            {
                "memory.application.rss": 3000,
                "memory.application.pss": 2000,
                "memory.application.uss": 1000,
                "memory.application.vsz": 9000,
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
            raise NotMeasurable("needs a command")
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
        before = [float(row.free_bytes) for row in read_rows(output, FreeBeforeRow)]
        found: dict[str, list[tuple[float, ...]]] = {when: [] for when in _WHEN}
        for row in read_rows(output, ApplicationMemoryRow):
            found[row.when].append(tuple(float(getattr(row, f"{kind}_bytes")) for kind in _KINDS))
        if {len(before), *map(len, found.values())} != {repeats}:
            raise NotMeasurable("the probe has not said what memory there was")
        metrics = [memory_metric(self.name, "free", {"when": "before"}, before)]
        for when in _WHEN:
            for name, samples in zip(_KINDS, zip(*found[when], strict=True), strict=True):
                metrics.append(memory_metric(self.name, name, {"when": when}, samples))
        return Finding(tuple(metrics))


MEASURES = (MemoryApplication(),)
