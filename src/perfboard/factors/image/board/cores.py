# SPDX-License-Identifier: Apache-2.0
"""How many cores the processor has, up to as many as the part."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.kernel.features import feature_options
from perfboard.images.recipe import Recipe
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import UsageError

_COUNTS = (1, 2, 4)


def _of_part(board: VirtualBoard) -> int:
    return board.timing.core.cores if board.timing is not None else 1


def _have(count: int) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        board = recipe.board
        if count > _of_part(board):
            raise UsageError(f"cores={count}: the part of board {board.name} has {_of_part(board)}")
        machine = board.machine.model_copy(update={"cpus": count})
        recipe = replace(recipe, board=board.model_copy(update={"machine": machine}))
        return with_cores(recipe)

    return change


def with_cores(recipe: Recipe) -> Recipe:
    """The recipe whose kernel, if it is built, uses all cores of its board."""
    board = recipe.board
    if board.machine.cpus == 1 or not isinstance(board.image.kernel, BuiltKernel):
        return recipe
    return recipe.with_options(feature_options("smp"))


FACTOR = Factor(
    name="cores",
    title="The cores of the processor",
    levels={
        "board": Level(with_cores),
        **{f"{count}": Level(_have(count), technique=False) for count in _COUNTS},
    },
    other_hardware=True,
    of_trials=True,
    has=lambda board: _of_part(board) > 1,
    beyond_image="it is another part, and no image changes it",
)
