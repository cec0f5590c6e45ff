# SPDX-License-Identifier: Apache-2.0
"""The factors that a board has, and the levels that are chosen of them."""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import perfboard.factors.image
from perfboard.boards.scope_text import timing_factors
from perfboard.factors.base import Factor
from perfboard.images.recipe import Recipe
from perfboard.model.board.board import Board
from perfboard.model.errors import UsageError


@cache
def _all_factors() -> tuple[Factor, ...]:
    modules = (
        importlib.import_module(f"perfboard.factors.image.{module.name}")
        for module in pkgutil.iter_modules(perfboard.factors.image.__path__)
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
