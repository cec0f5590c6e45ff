# SPDX-License-Identifier: Apache-2.0
"""All measures: those of this room, and those that packages outside bring."""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

import perfboard.measures
from perfboard.measures.base import Measure
from perfboard.model.errors import UsageError
from perfboard.model.text import nearest

# Packages outside bring measures under this name: `NAME = "module:MEASURE"`.
_GROUP = "perfboard.measures"


@cache
def all_measures() -> dict[str, Measure]:
    """The measures by name: each module of this room may have some, as MEASURES.

    Raises UsageError for one of a package outside that cannot be imported.
    """
    modules = (
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(perfboard.measures.__path__, "perfboard.measures.")
    )
    found = [each for module in modules for each in getattr(module, "MEASURES", ())]
    for point in entry_points(group=_GROUP):
        try:
            found.append(point.load())
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"measure {point.name} cannot be imported from {point.value}: {error}; mend the "
                "package that brings it, or uninstall it"
            ) from error
    return {each.name: each for each in sorted(found, key=lambda one: one.name)}


def get_measure(name: str, where: str = "") -> Measure:
    """The measure of that name. Raises UsageError, which `where` begins, naming the nearest."""
    known = all_measures()
    if name not in known:
        raise UsageError(
            f'{where and f"{where}: "}there is no measure "{name}"{nearest(name, known)} '
            "`perfboard measures` lists them"
        )
    return known[name]
