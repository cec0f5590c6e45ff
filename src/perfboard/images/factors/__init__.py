# SPDX-License-Identifier: Apache-2.0
"""What can be varied of a board's image: a file a factor."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import perfboard.images.factors
from perfboard.boards.timing import timing_factors
from perfboard.images.recipe import Recipe
from perfboard.model.board import Board
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


@cache
def _all_factors() -> tuple[Factor, ...]:
    modules = (
        importlib.import_module(f"perfboard.images.factors.{module.name}")
        for module in pkgutil.iter_modules(perfboard.images.factors.__path__)
    )
    return tuple(module.FACTOR for module in modules)


def image_factors(board: Board) -> dict[str, Factor]:
    """The factors of the board's image by name: each module of this package that has a FACTOR."""
    return {factor.name: factor for factor in _all_factors() if factor.has(board)}


def factors_of(board: Board) -> dict[str, tuple[str, ...]]:
    """The levels of each factor of a board, its image's and its timing's, the default first."""
    known = {name: tuple(factor.levels) for name, factor in image_factors(board).items()}
    return known | timing_factors(board)


def check_known(
    what: str,
    known: Mapping[str, Sequence[str]],
    given: Iterable[tuple[str, str]],
    option: str = "",
) -> None:
    """Raises UsageError for a factor that `what` has not, or a level that its factor has not.

    `option` is what the error begins with.
    """
    for factor, level in given:
        if factor not in known:
            has = ", ".join(known) or "none"
            raise UsageError(f'{option}{what} has no factor "{factor}"; it has: {has}')
        if level not in known[factor]:
            has = ", ".join(known[factor])
            raise UsageError(f'{option}factor {factor} has no level "{level}"; it has: {has}')


def choose_levels(board: Board, factors: Mapping[str, str]) -> dict[str, str]:
    """Every factor with its level: those given, and the defaults of the others.

    Raises UsageError for an unknown factor or level, or two that exclude each other.
    """
    known = factors_of(board)
    check_known(f"board {board.name}", known, factors.items())
    chosen = {factor: levels[0] for factor, levels in known.items()} | dict(factors)
    recipe_of(board, chosen)
    return chosen


def recipe_of(board: Board, levels: Mapping[str, str]) -> Recipe:
    """The recipe of the board's image at those levels of all its factors.

    Raises UsageError where a level cannot be on this board, or beside another.
    """
    recipe = Recipe(board)
    for factor in sorted(image_factors(board).values(), key=lambda factor: factor.late):
        recipe = factor.levels[levels[factor.name]].change(recipe)
    if levels["console"] != "full" and levels["initcall_debug"] == "on":
        raise UsageError(
            f"initcall_debug=on prints on the console what console={levels['console']} silences; "
            "choose one"
        )
    recipe.check()
    return recipe
