# SPDX-License-Identifier: Apache-2.0
"""The root file systems that a tune tried, step by step, as study E's table has them."""

from dataclasses import dataclass

from perfboard.analysis.phases import cut_boot
from perfboard.model.run import Run
from perfboard.model.units import format_size, format_value
from perfboard.report.tuning_rows import Tried, booted

FACTOR = "root"
_MOUNT, _USERSPACE = "boot.root.mount", "boot.userspace"
_APPLICATION, _COPY = "boot.userspace.application", "boot.userspace.copy"


@dataclass(frozen=True)
class RootRow:
    """One file system: mounting, start of the scripts, the application, a copy; and its size."""

    name: str
    size: str
    mount: str
    scripts: str
    application: str
    copy: str
    total: str


def root_rows(run: Run) -> list[RootRow]:
    """The baseline's file system and each that was tried by itself; none where one alone was.

    The scripts are what is left of user space without the application and the copy.
    """
    tuning = run.tuning
    if tuning is None or FACTOR not in tuning.baseline:
        return []
    tried = [each for each in booted(run) if each.record.levels.keys() <= {FACTOR}]
    rows = [row for each in tried if (row := _row(each, tuning.baseline[FACTOR]))]
    return rows if len(rows) > 1 else []


def _row(tried: Tried, default: str) -> RootRow | None:
    steps: dict[str, float] = {}
    for part in cut_boot(tried.boot):
        steps[part.name] = steps.get(part.name, 0.0) + part.duration_ns / 1e9
    if _MOUNT not in steps or _USERSPACE not in steps:
        return None
    application, copy = steps.get(_APPLICATION, 0.0), steps.get(_COPY, 0.0)
    times = (
        steps[_MOUNT],
        steps[_USERSPACE] - application - copy,
        application,
        copy,
        steps[_MOUNT] + steps[_USERSPACE],
    )
    return RootRow(
        tried.record.levels.get(FACTOR, default),
        format_size(tried.record.flash.get("root", 0)),
        *(format_value(seconds, "s") for seconds in times),
    )
