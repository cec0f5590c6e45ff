# SPDX-License-Identifier: Apache-2.0
"""The size of the board's memory: another part on the same board."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.recipe import Recipe
from perfboard.model.board.virtual import DiskBoard

_MIB = 1 << 20
_SIZES = (8, 16, 24, 32, 48, 64, 96, 128, 256, 512)


def _have(size: int) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        machine = recipe.board.machine.model_copy(update={"ram": size * _MIB})
        return replace(recipe, board=recipe.board.model_copy(update={"machine": machine}))

    return change


FACTOR = Factor(
    name="ram",
    title="The size of the memory",
    levels={
        "board": Level(),
        **{f"{size}M": Level(_have(size), technique=False) for size in _SIZES},
    },
    other_hardware=True,
    of_trials=True,
    has=lambda board: board.timing is not None and isinstance(board, DiskBoard),
    beyond_image="it is another part, and no image changes it",
)
