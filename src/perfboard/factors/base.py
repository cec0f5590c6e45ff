# SPDX-License-Identifier: Apache-2.0
"""A factor and its levels: each changes the recipe of a board's image."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from perfboard.images.recipe import Recipe
from perfboard.model.board.board import Board
from perfboard.model.errors import UsageError


def _as_it_is(recipe: Recipe) -> Recipe:
    return recipe


@dataclass(frozen=True)
class Level:
    """One setting of a factor.

    `change` makes the recipe that has it of one that has the default; it raises UsageError
    where that cannot be. `loses` says what the device no longer does or shows, if anything.
    What is no `technique` is there to be compared with, and nobody would choose it: a tune does
    not try it unasked.
    """

    change: Callable[[Recipe], Recipe] = _as_it_is
    loses: str = ""
    technique: bool = True


@dataclass(frozen=True)
class Factor:
    """What is varied, in a few words, and its levels by name, the default first.

    `has` tells whether a board has this factor. Levels of a factor that is `late` change
    what those of the others have made. Of `surroundings` the default is one machine and the
    others are another, so that going from one to the other is no way to make a board faster.
    """

    name: str
    title: str
    levels: Mapping[str, Level]
    has: Callable[[Board], bool] = lambda board: True
    late: bool = False
    surroundings: bool = False


def set_fields(**fields: Any) -> Callable[[Recipe], Recipe]:
    """The change that sets those fields of the recipe."""
    return lambda recipe: replace(recipe, **fields)


def set_root(**fields: Any) -> Callable[[Recipe], Recipe]:
    """The change that sets those fields of the recipe of the root file system."""
    return lambda recipe: replace(recipe, root=replace(recipe.root, **fields))


def add_arguments(*words: str) -> Callable[[Recipe], Recipe]:
    """The change that adds those words to the kernel's command line."""
    return lambda recipe: replace(recipe, arguments=(*recipe.arguments, *words))


def refuse(reason: str) -> Level:
    """A level that no board can have; `reason` begins with FACTOR=LEVEL."""

    def change(recipe: Recipe) -> Recipe:
        raise UsageError(reason)

    return Level(change)
