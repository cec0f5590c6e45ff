# SPDX-License-Identifier: Apache-2.0
"""The base of what a run has beside its metrics, and the kinds of it that are known."""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import perfboard.model.results
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.record import Record

# The group of entry points by which other packages bring sections of the report.
SECTIONS = "perfboard.sections"


class Result(Record):
    """A study's result beside its metrics. `kind` tells it from others in run.json."""

    kind: str

    @property
    def summary(self) -> str:
        """How much was done, or how it ended, as in "3 boots"; "" if others say it."""
        return ""


def count_words(number: int, one: str, many: str) -> str:
    """A number of things in words; "" for none."""
    return f"{number} {one if number == 1 else many}" if number else ""


@cache
def result_types() -> tuple[type[Result], ...]:
    """The RESULT of each module of this package, and those that other packages' sections show.

    Raises EnvironmentLacksError for a package that cannot be used.
    """
    modules = (
        importlib.import_module(f"{perfboard.model.results.__name__}.{module.name}")
        for module in pkgutil.iter_modules(perfboard.model.results.__path__)
    )
    found = {_kind(m.RESULT): m.RESULT for m in modules if hasattr(m, "RESULT")}
    for section in outside_sections():
        if found.setdefault(_kind(section.result), section.result) is not section.result:
            raise EnvironmentLacksError(
                f"the section {section} brings results of kind {_kind(section.result)!r}, which "
                "another package brings too; uninstall one of them"
            )
    return tuple(found.values())


@cache
def outside_sections() -> tuple[Any, ...]:
    """The sections of the report that other installed packages bring.

    Raises EnvironmentLacksError where one cannot be loaded.
    """
    found = []
    for entry in entry_points(group=SECTIONS):
        try:
            section = entry.load()
            _kind(section.result)
        except Exception as error:
            raise EnvironmentLacksError(
                f"the section {entry.value}, which another package brings, cannot be loaded: "
                f"{error!r}; update or uninstall that package"
            ) from error
        found.append(section)
    return tuple(found)


def _kind(result: type[Result]) -> str:
    return str(result.model_fields["kind"].default)
