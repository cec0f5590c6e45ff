# SPDX-License-Identifier: Apache-2.0
"""Sets of measures: profiles without budgets, and single measures, as the user names them."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from perfboard.measures.catalogue import all_measures, get_measure
from perfboard.measures.loop import Item
from perfboard.measures.parameters import check_parameters, check_value, parse_value
from perfboard.model.errors import UsageError
from perfboard.model.profile import Area, Parameters, Value
from perfboard.model.target import command
from perfboard.model.text import nearest
from perfboard.profiles.loader import is_shipped, list_profiles, load_profile, profile_path


def set_items(name: str) -> list[Item]:
    """The items of a set, by its name or file. Raises UsageError."""
    path = profile_path(name)
    profile = load_profile(path)
    if profile.judges:
        raise UsageError(
            f"{path}: has budgets to judge a board by: `{command('choose', name)}` does so"
        )
    rows = [(name, Parameters(), f"{path}: measures") for name in profile.measures]
    rows += [(row.measure, row.parameters, f"{path}: {row.name}") for row in profile.key_issue]
    found = [set_item(*row, path) for row in rows]
    for area in profile.area:
        found += [row_item(text, area, path) for text in (*area.quick, *area.more)]
    return list({item.key: item for item in found}.values())


def row_item(text: str, area: Area, path: Path) -> Item:
    """The item of a guide's row, as "disk.dd quick=true". Raises UsageError."""
    where = f"{path}: area {area.title}"
    name, *given = shlex.split(text)
    if not all("=" in word for word in given):
        raise UsageError(f'{where}: "{text}": give MEASURE PARAMETER=VALUE ...')
    pairs = (word.split("=", 1) for word in given)
    return set_item(name, {key: parse_value(value) for key, value in pairs}, where, path)


def set_item(name: str, parameters: Parameters, where: str, path: Path) -> Item:
    """The item of a row of a set, whose file is `path`. Raises UsageError, which `where` begins."""
    measure = get_measure(name, where)
    check_parameters(measure, parameters, where)
    item = Item.of(measure, parameters, path.parent)
    commands = [*item.measure.commands(item.parameters), item.parameters.get("files")]
    if any(commands) and not is_shipped(path):
        named = next(filter(None, commands))
        raise UsageError(
            f"{where}: a set runs no commands, and this one has {named!r}; "
            "give it a budget, for `perfboard choose PROFILE`"
        )
    return item


def items_named(names: Sequence[str], given: Mapping[str, Value]) -> list[Item]:
    """The items of these measures and sets, with the parameters `given` where they have them.

    Raises UsageError for a name that there is not, and a parameter that none of them has.
    """
    items: dict[str, Item] = {}
    known = all_measures()
    for name in names:
        if name in known:
            found = [Item.of(known[name])]
        elif name in list_profiles() or "/" in name or name.endswith(".toml"):
            found = set_items(name)
        else:
            words = (*known, *list_profiles())
            raise UsageError(
                f'there is no measure or set "{name}"{nearest(name, words)} '
                "`perfboard measures` and `perfboard profiles` list them"
            )
        for item in found:
            changed = with_given(item, given)
            items.setdefault(changed.key, changed)
    check_given(given, list(items.values()))
    return list(items.values())


def check_given(given: Mapping[str, Value], items: Sequence[Item]) -> None:
    """Raises UsageError for a parameter that none of the items has."""
    for parameter in given:
        if all(parameter not in item.parameters for item in items):
            has = {name: None for item in items for name in item.parameters}
            raise UsageError(
                f"--with {parameter}: no such parameter here{nearest(parameter, has)} There are: "
                f"{', '.join(has) or 'none'}"
            )


def with_given(item: Item, given: Mapping[str, Value]) -> Item:
    """The item with those of the parameters that it has."""
    own = {name: value for name, value in given.items() if name in item.parameters}
    defaults = item.measure.defaults()
    for name, value in own.items():
        check_value(value, defaults[name], f"{item.measure.name}: {name}")
    # Files that the user names himself may lie anywhere.
    folder = None if "files" in own else item.folder
    return Item(item.measure, {**item.parameters, **own}, folder)
