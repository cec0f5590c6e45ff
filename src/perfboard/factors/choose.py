# SPDX-License-Identifier: Apache-2.0
"""The factors that a board has, and the choice of a level for each."""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache

import perfboard.factors.image
from perfboard.boards.loader import LoadedBoard
from perfboard.boards.scope_text import TIMED
from perfboard.factors.base import Factor, Level
from perfboard.factors.image.kernel.features import joined
from perfboard.images.recipe import Recipe
from perfboard.images.variant import Variant
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.text import nearest


@cache
def _all_factors() -> tuple[Factor, ...]:
    rooms = pkgutil.walk_packages(perfboard.factors.image.__path__, "perfboard.factors.image.")
    modules = (importlib.import_module(found.name) for found in rooms if not found.ispkg)
    return tuple(sorted((module.FACTOR for module in modules), key=lambda each: each.name))


def image_factors(board: VirtualBoard) -> dict[str, Factor]:
    """The factors of the board's image by name: each module in `factors.image` has a FACTOR."""
    return {each.name: each.of(board) for each in _all_factors() if each.has(board)}


def timing_factors(board: VirtualBoard) -> dict[str, Factor]:
    """The factors that the board's timing model brings, by name; without one, there are none.

    A board with a model is timed by default: counted boots give no seconds.
    """
    if board.timing is None:
        return {}
    levels = {"detail": (*TIMED.values(), "counted"), **board.timing.factors}
    return {
        name: Factor(
            name,
            f"How the {name} is set up",
            dict.fromkeys(of_it, Level()),
            observes=name in TIMED,
            beyond_image="it is of the timing model, and no image changes it",
        )
        for name, of_it in levels.items()
    }


def factors_of(board: VirtualBoard) -> dict[str, Factor]:
    """All factors of a board by name."""
    return image_factors(board) | timing_factors(board)


def trial_factors(board: VirtualBoard) -> dict[str, Factor]:
    """The factors of a command's trial, which has a kernel and a root file system of its own."""
    config = {name: f for name, f in image_factors(board).items() if f.of_trials}
    return config | timing_factors(board)


def check_known(
    what: str,
    known: Mapping[str, Factor],
    given: Iterable[tuple[str, str]],
    option: str = "",
) -> None:
    """Raises UsageError for a factor that `what` has not, or a level that its factor has not.

    `option` is what the error begins with.
    """
    for factor, level in given:
        if factor not in known:
            has = ", ".join(known) or "none"
            raise UsageError(
                f'{option}{what} has no factor "{factor}"{nearest(factor, known)} It has: {has}'
            )
        levels = known[factor].levels
        if level not in levels:
            has = ", ".join(levels)
            raise UsageError(
                f'{option}factor {factor} has no level "{level}"{nearest(level, levels)} '
                f"It has: {has}"
            )


def choose(loaded: LoadedBoard, given: Mapping[str, str]) -> Variant:
    """The board at its defaults, with the levels `given` in place of them.

    Raises UsageError for an unknown factor or level, and where a level cannot be on this board, or
    with another.
    """
    board = loaded.board
    known = factors_of(board)
    check_known(f"board {board.name}", known, given.items())
    levels = {name: factor.default for name, factor in known.items()} | dict(given)
    return Variant(loaded, levels, _recipe_of(board, known, levels))


def changed(variant: Variant, levels: Mapping[str, str]) -> Variant:
    """The variant with these levels in place of its own. Raises UsageError as `choose` does."""
    return choose(variant.loaded, {**variant.levels, **levels})


def with_features(variant: Variant, names: Iterable[str]) -> Variant:
    """The variant whose kernel has these features too; a kernel of the user's own is as it is."""
    if "features" not in variant.levels:
        return variant
    return changed(variant, {"features": joined(variant.levels["features"], names)})


def perturbations(levels: Mapping[str, str]) -> dict[str, str]:
    """How levels change what is measured, by FACTOR=LEVEL."""
    return {
        f"{factor.name}={name}": level.perturbs
        for factor in _all_factors()
        for name, level in factor.levels.items()
        if level.perturbs and levels.get(factor.name) == name
    }


def _recipe_of(
    board: VirtualBoard, known: Mapping[str, Factor], levels: Mapping[str, str]
) -> Recipe:
    kernel = board.image.kernel
    recipe = Recipe(board, options=kernel.options if isinstance(kernel, BuiltKernel) else {})
    for factor in sorted(known.values(), key=lambda factor: factor.late):
        recipe = factor.levels[levels[factor.name]].change(recipe)
    for name, level in levels.items():
        for (other, its_level), why in known[name].levels[level].excludes.items():
            if levels.get(other) == its_level:
                raise UsageError(f"{name}={level} {why}; choose one")
    recipe.check()
    return recipe
