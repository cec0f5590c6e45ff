# SPDX-License-Identifier: Apache-2.0
"""The importers there are, and that of a file."""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from typing import cast

import perfboard.importers
from perfboard.importers.base import Importer, SavedFile
from perfboard.importers.foreign import foreign_of
from perfboard.importers.programs import program_of
from perfboard.importers.untimed import untimed_words
from perfboard.model.errors import UsageError

# Packages outside bring importers under this name: `NAME = "module:IMPORTER"`.
_GROUP = "perfboard.importers"
_LEAST = 0.5


@cache
def importers() -> dict[str, Importer]:
    """The IMPORTER of each module here, and those of other packages, by name."""
    found = [
        cast("Importer", module.IMPORTER)
        for each in pkgutil.walk_packages(
            perfboard.importers.__path__, f"{perfboard.importers.__name__}."
        )
        if hasattr(module := importlib.import_module(each.name), "IMPORTER")
    ]
    for point in entry_points(group=_GROUP):
        try:
            found.append(cast("Importer", point.load()))
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"importer {point.name} cannot be imported from {point.value}: {error}; mend the "
                "package that brings it, or uninstall it"
            ) from error
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


def form_of(file: SavedFile) -> str:
    """The formats that a file has the form of, in words; "" if there is none."""
    shares = {name: importer.share(file.head) for name, importer in importers().items()}
    return " or ".join(name for name, share in shares.items() if share >= _LEAST)


def choose_importer(file: SavedFile, format: str) -> Importer:
    """The importer of that name, or without one the importer of the file's form.

    Raises UsageError if there is none, or more than one.
    """
    known = importers()
    if format:
        if format not in known:
            raise UsageError(f'--as: there is no "{format}". There are: {", ".join(known)}.')
        return known[format]
    shares = {name: importer.share(file.head) for name, importer in known.items()}
    largest = max(shares.values())
    names = [name for name, share in shares.items() if share == largest]
    if largest < _LEAST:
        words = foreign_of(file.head) or program_of(file.head) or untimed_words(file.head)
        raise UsageError(f"{file.path}: {words}")
    if len(narrow := [name for name in names if known[name].narrow]) == 1:
        names = narrow
    if len(names) > 1:
        raise UsageError(
            f"{file.path}: its lines may be of {' or '.join(names)}. Name one with --as: "
            + "; ".join(f"{name} is {known[name].title}" for name in names)
        )
    return known[names[0]]
