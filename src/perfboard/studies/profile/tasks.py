# SPDX-License-Identifier: Apache-2.0
"""The work that a profile's rows ask for: each workload once for each set of its parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from perfboard.model.errors import UsageError
from perfboard.model.profile import Change, Part, Profile, Value
from perfboard.model.text import nearest, printable
from perfboard.profiles.loader import is_shipped
from perfboard.studies.profile.workloads.base import Workload, all_workloads

PartType = TypeVar("PartType", bound=Part)


@dataclass(frozen=True)
class Task:
    """One workload with its parameters."""

    workload: Workload
    parameters: Mapping[str, Value]

    @property
    def key(self) -> str:
        """The same for the same work."""
        return key_of(self.workload.name, self.parameters)


def key_of(workload: str, parameters: Mapping[str, Value]) -> str:
    """A text that is the same for the same work."""
    return f"{workload} {sorted(parameters.items())!r}"


def _part_work(part: Part, row: str, path: Path) -> tuple[Workload, dict[str, Value]]:
    known = all_workloads()
    where = f"{path}: {row}"
    if part.workload not in known:
        raise UsageError(
            f'{where}: there is no workload "{part.workload}"{nearest(part.workload, known)} The '
            f"workloads are: {', '.join(known)}"
        )
    workload = known[part.workload]
    if part.metric not in workload.metrics:
        raise UsageError(
            f'{where}: {workload.name} has no metric "{part.metric}"'
            f"{nearest(part.metric, workload.metrics)} It has: {', '.join(workload.metrics)}"
        )
    for name in part.parameters:
        if name not in workload.parameters:
            raise UsageError(
                f'{where}: {workload.name} has no parameter "{name}"'
                f"{nearest(name, workload.parameters)} It has: {', '.join(workload.parameters)}"
            )
    return workload, parameters_of(part)


def parameters_of(part: Part) -> dict[str, Value]:
    """All parameters of a part whose workload is known."""
    known = all_workloads()[part.workload].parameters
    return {**{name: each.default for name, each in known.items()}, **part.parameters}


def tasks_of(profile: Profile, path: Path, only: Sequence[str]) -> list[Task]:
    """Each workload once for each set of its parameters."""
    rows: dict[str, tuple[Part, ...]] = {issue.name: (issue,) for issue in profile.key_issue}
    rows |= {scenario.name: scenario.parts for scenario in profile.scenario}
    for name in only:
        if name not in rows:
            raise UsageError(f'--only {name}: {path} has no row "{name}"{nearest(name, rows)}')
    tasks: list[Task] = []
    for row, parts in rows.items():
        for part in parts:
            workload, parameters = _part_work(part, row, path)
            if only and row not in only:
                continue
            task = Task(workload, parameters)
            if task not in tasks:
                tasks.append(task)
    return tasks


def refuse_unseen(tasks: Sequence[Task], path: Path, yes: bool) -> None:
    """Raises UsageError with the commands of a stranger's profile, until the user agrees."""
    commands = [
        printable(command) for task in tasks for command in task.workload.commands(task.parameters)
    ]
    if not commands or yes or is_shipped(path):
        return
    listed = "\n  ".join(commands)
    raise UsageError(
        f"{path}: does not come with Perfboard, and runs these commands on the target:\n"
        f"  {listed}\nIf you want that, give --yes"
    )


def with_parameters(profile: Profile, change: Change) -> Profile:
    """The profile whose parts have the change's parameters, where their workloads have them."""

    def changed(part: PartType) -> PartType:
        known = all_workloads()[part.workload].parameters
        own = {k: v for k, v in change.parameters.items() if k in known}
        return part.model_copy(update={"parameters": {**part.parameters, **own}})

    scenarios = (
        each.model_copy(update={"parts": tuple(map(changed, each.parts))})
        for each in profile.scenario
    )
    issues = tuple(map(changed, profile.key_issue))
    return profile.model_copy(update={"key_issue": issues, "scenario": tuple(scenarios)})
