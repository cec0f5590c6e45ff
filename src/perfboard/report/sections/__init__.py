# SPDX-License-Identifier: Apache-2.0
"""The sections of the report: a folder for each, found by its module `section`."""

import importlib
import pkgutil
from functools import cache
from typing import Any

from perfboard.model.results.base import Result
from perfboard.model.results.kinds import known
from perfboard.model.run import Run
from perfboard.report.section import Section


@cache
def all_sections() -> tuple[Section[Any], ...]:
    """The SECTION of each folder that has one, and those of other packages, in their order."""
    ours = (
        importlib.import_module(f"{__name__}.{folder.name}.section")
        for folder in pkgutil.iter_modules(__path__)
    )
    return tuple(
        sorted((*(m.SECTION for m in ours), *known().sections), key=lambda each: each.order)
    )


def sections_of(run: Run) -> list[tuple[Section[Any], Result]]:
    """The sections that show the run's results, each with the result that it shows."""
    return [
        (section, result)
        for section in all_sections()
        for result in run.results
        if isinstance(result, section.result)
    ]
