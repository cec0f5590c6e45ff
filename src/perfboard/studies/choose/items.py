# SPDX-License-Identifier: Apache-2.0
"""The items that a profile's rows ask for."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from perfboard.measures.catalogue import get_measure
from perfboard.measures.loop import Item
from perfboard.measures.parameters import check_labels, check_parameters, check_value
from perfboard.model.budget import Budget
from perfboard.model.errors import UsageError
from perfboard.model.profile import DeviceChange, Part, Profile
from perfboard.model.text import nearest, printable
from perfboard.profiles.loader import is_shipped
from perfboard.studies.budgets import check_unit

PartType = TypeVar("PartType", bound=Part)


def _item(part: Part, budget: Budget | None, row: str, path: Path) -> Item:
    where = f"{path}: {row}"
    measure = get_measure(part.measure, where).given(part.parameters)
    quantity = measure.quantity(part.metric)
    if quantity is None and budget is not None:
        known = [each.name for each in measure.metrics]
        raise UsageError(
            f'{where}: {measure.name} has no metric "{part.metric}"'
            f"{nearest(part.metric, known)} It has: {', '.join(known)}"
        )
    check_parameters(measure, part.parameters, where)
    check_labels(measure, part.labels, where)
    if budget is not None and quantity is not None:
        check_unit(budget, quantity, where)
    return item_of(part, path.parent)


def item_of(part: Part, folder: Path | None = None) -> Item:
    """The measure of a part that was checked, with all of its parameters.

    `folder` is that of its profile, which is needed to measure it.
    """
    return Item.of(get_measure(part.measure), part.parameters, folder)


def items_of(profile: Profile, path: Path, only: Sequence[str]) -> list[Item]:
    """Each measure once for each set of its parameters."""
    rows: dict[str, tuple[Budget | None, tuple[Part, ...]]]
    rows = {issue.name: (issue.budget, (issue,)) for issue in profile.key_issue}
    rows |= {each.name: (each.budget, each.parts) for each in profile.scenario}
    for name in only:
        if name not in rows:
            raise UsageError(f'--only {name}: {path} has no row "{name}"{nearest(name, rows)}')
    items: dict[str, Item] = {}
    for row, (budget, parts) in rows.items():
        for part in parts:
            item = _item(part, budget, row, path)
            if not only or row in only:
                items.setdefault(item.key, item)
    for name in () if only else profile.measures:
        item = Item.of(get_measure(name))
        items.setdefault(item.key, item)
    return list(items.values())


def refuse_unseen(items: Sequence[Item], path: Path, yes: bool) -> None:
    """Raises UsageError with all that a stranger's profile would run, until the user agrees."""
    if yes or is_shipped(path):
        return
    commands = (command for item in items for command in item.measure.commands(item.parameters))
    asked = {
        "runs these commands on the target": commands,
        "copies these files to it": _given(items, "files"),
        "has these Debian packages on a virtual board": _given(items, "packages"),
    }
    listed = [
        f"{words}:\n  " + "\n  ".join(found)
        for words, each in asked.items()
        if (found := dict.fromkeys(map(printable, each)))
    ]
    if listed:
        words = "\nand ".join(listed)
        raise UsageError(
            f"{path}: does not come with Perfboard, and {words}\nIf you want that, give --yes"
        )


def _given(items: Sequence[Item], name: str) -> Iterator[str]:
    """The values of that parameter that are not the defaults."""
    for item in items:
        if name in item.parameters and item.parameters[name] != item.measure.defaults()[name]:
            yield str(item.parameters[name])


def check_change(profile: Profile, change: DeviceChange, path: Path) -> None:
    """Raises UsageError for a parameter of an option that no measure of the profile has."""
    where = f"{path}: option {change.name}"
    parts = [*profile.key_issue, *(part for each in profile.scenario for part in each.parts)]
    known = {k: value for part in parts for k, value in item_of(part).measure.defaults().items()}
    for name, value in change.parameters.items():
        if name not in known:
            raise UsageError(
                f'{where}: no measure of the profile has a parameter "{name}"'
                f"{nearest(name, known)} They have: {', '.join(known)}"
            )
        check_value(value, known[name], f"{where}: {name}")


def with_parameters(profile: Profile, change: DeviceChange) -> Profile:
    """The profile whose parts have the change's parameters, where their measures have them."""

    def changed(part: PartType) -> PartType:
        known = get_measure(part.measure).defaults()
        own = {k: v for k, v in change.parameters.items() if k in known}
        return part.model_copy(update={"parameters": {**part.parameters, **own}})

    scenarios = (
        each.model_copy(update={"parts": tuple(map(changed, each.parts))})
        for each in profile.scenario
    )
    issues = tuple(map(changed, profile.key_issue))
    return profile.model_copy(update={"key_issue": issues, "scenario": tuple(scenarios)})


def items_of_options(profile: Profile, path: Path, only: Sequence[str]) -> list[Item]:
    """The items as each option that changes parameters has them."""
    changes = (change for change in profile.option if change.parameters)
    return [
        item for each in changes for item in items_of(with_parameters(profile, each), path, only)
    ]
