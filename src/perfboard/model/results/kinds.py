# SPDX-License-Identifier: Apache-2.0
"""The kinds of results that are known: those of this folder, and those of other packages."""

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, reduce
from importlib.metadata import entry_points
from operator import or_
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

import perfboard.model.results
from perfboard.model.results.base import Result


@dataclass(frozen=True)
class Kinds:
    """All kinds of results, as they are when the first run is made or read."""

    # The type of any of them, which `kind` tells apart.
    any_result: Any
    # The sections of the report by which other packages bring theirs.
    sections: tuple[Any, ...]
    # Why a package's section cannot be used.
    problems: tuple[str, ...]


@cache
def known() -> Kinds:
    """The RESULT of each module here, and `result` of each entry point `perfboard.sections`.

    A package that cannot be used is left out, so that other runs can still be read.
    """
    modules = (
        importlib.import_module(f"{perfboard.model.results.__name__}.{module.name}")
        for module in pkgutil.iter_modules(perfboard.model.results.__path__)
    )
    types = [module.RESULT for module in modules if hasattr(module, "RESULT")]
    sections, problems = [], []
    for entry in entry_points(group="perfboard.sections"):
        try:
            section = entry.load()
            if section.result not in types:
                # Refuses a type that has no kind, or another's.
                TypeAdapter(_union((*types, section.result)))
                types.append(section.result)
        except Exception as error:
            problems.append(f"section {entry.value} cannot be used: {error!r}")
        else:
            sections.append(section)
    return Kinds(_union(types), tuple(sections), tuple(problems))


def _union(types: Iterable[type[Result]]) -> Any:
    return Annotated[reduce(or_, types), Field(discriminator="kind")]
