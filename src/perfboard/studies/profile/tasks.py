# SPDX-License-Identifier: Apache-2.0
"""The work that a profile's rows ask for: each workload once for each set of its parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from perfboard.bench.job import Work
from perfboard.measures.base import Workload, all_workloads
from perfboard.model.errors import UsageError
from perfboard.model.profile import UNITS, Budget, Change, Part, Profile, Value
from perfboard.model.text import nearest, printable
from perfboard.profiles.loader import is_shipped

PartType = TypeVar("PartType", bound=Part)


@dataclass(frozen=True)
class Task:
    """One workload with its parameters."""

    workload: Workload
    parameters: Mapping[str, Value]
    _plans: dict[int, Work] = field(default_factory=dict, repr=False, compare=False)

    def plan(self, repeats: int) -> Work:
        """Its work, which is made once. Raises NotMeasurable."""
        if repeats not in self._plans:
            self._plans[repeats] = self.workload.plan(self.parameters, repeats)
        return self._plans[repeats]

    @property
    def key(self) -> str:
        """The same for the same work."""
        return key_of(self.workload.name, self.parameters)


def key_of(workload: str, parameters: Mapping[str, Value]) -> str:
    """A text that is the same for the same work."""
    return f"{workload} {sorted(parameters.items())!r}"


def _part_work(
    part: Part, budget: Budget, row: str, path: Path
) -> tuple[Workload, dict[str, Value]]:
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
        _check_kind(part.parameters[name], workload.parameters[name].default, f"{where}: {name}")
    unit = workload.metrics[part.metric].unit
    if budget.unit != unit:
        written = {"1": 'none, or "%"'}.get(unit) or ", ".join(
            name for name, (base, _) in UNITS.items() if base == unit
        )
        raise UsageError(
            f'{where}: the budget "{budget.text}" is not in a unit of {part.metric}, which is '
            f"{written}"
        )
    return workload, parameters_of(part)


def _check_kind(value: Value, default: Value, where: str) -> None:
    """Raises UsageError for text where the default is a number, and the like."""
    wanted = next(
        words
        for kind, words in ((bool, "true or false"), (int | float, "a number"), (str, "text"))
        if isinstance(default, kind)
    )
    fits = (
        isinstance(value, type(default))
        if isinstance(default, bool | str)
        else isinstance(value, int | float) and not isinstance(value, bool)
    )
    if not fits:
        raise UsageError(f"{where} is {value!r}; wants {wanted}, as {default!r}")


def parameters_of(part: Part) -> dict[str, Value]:
    """All parameters of a part whose workload is known."""
    known = all_workloads()[part.workload].parameters
    return {**{name: each.default for name, each in known.items()}, **part.parameters}


def tasks_of(profile: Profile, path: Path, only: Sequence[str]) -> list[Task]:
    """Each workload once for each set of its parameters."""
    rows: dict[str, tuple[Budget, tuple[Part, ...]]]
    rows = {issue.name: (issue.budget, (issue,)) for issue in profile.key_issue}
    rows |= {each.name: (each.budget, each.parts) for each in profile.scenario}
    for name in only:
        if name not in rows:
            raise UsageError(f'--only {name}: {path} has no row "{name}"{nearest(name, rows)}')
    tasks: list[Task] = []
    for row, (budget, parts) in rows.items():
        for part in parts:
            workload, parameters = _part_work(part, budget, row, path)
            if only and row not in only:
                continue
            task = Task(workload, parameters)
            if task not in tasks:
                tasks.append(task)
    return tasks


def refuse_unseen(tasks: Sequence[Task], path: Path, yes: bool) -> None:
    """Raises UsageError with the commands of a stranger's profile, until the user agrees."""
    each = (command for task in tasks for command in task.workload.commands(task.parameters))
    commands = dict.fromkeys(map(printable, each))
    if not commands or yes or is_shipped(path):
        return
    listed = "\n  ".join(commands)
    raise UsageError(
        f"{path}: does not come with Perfboard, and runs these commands on the target:\n"
        f"  {listed}\nIf you want that, give --yes"
    )


def check_parameters(profile: Profile, change: Change, path: Path) -> None:
    """Raises UsageError for a parameter of an option that no workload of the profile has."""
    where = f"{path}: option {change.name}"
    parts = [*profile.key_issue, *(part for each in profile.scenario for part in each.parts)]
    workloads = {part.workload: all_workloads()[part.workload] for part in parts}.values()
    known = {k: each.default for one in workloads for k, each in one.parameters.items()}
    for name, value in change.parameters.items():
        if name not in known:
            raise UsageError(
                f'{where}: no workload of the profile has a parameter "{name}"'
                f"{nearest(name, known)} They have: {', '.join(known)}"
            )
        _check_kind(value, known[name], f"{where}: {name}")


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


def tasks_of_options(profile: Profile, path: Path, only: Sequence[str]) -> list[Task]:
    """The tasks as each option that changes parameters has them."""
    changes = (change for change in profile.option if change.parameters)
    return [
        task for each in changes for task in tasks_of(with_parameters(profile, each), path, only)
    ]
