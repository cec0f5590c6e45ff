# SPDX-License-Identifier: Apache-2.0
"""How long the bootloader waits for a key."""

from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.recipe import Recipe
from perfboard.model.board.virtual import FlashBoard, VirtualBoard


def _seconds(delay: int) -> Level:
    def change(recipe: Recipe) -> Recipe:
        return replace(recipe, variables={**recipe.variables, "bootdelay": str(delay)})

    return Level(change)


def _has(board: VirtualBoard) -> bool:
    return isinstance(board, FlashBoard)


FACTOR = Factor(
    name="bootdelay",
    title="Seconds for which the bootloader waits for a key",
    levels={"board": Level(), "0": _seconds(0), "1": _seconds(1), "3": _seconds(3)},
    has=_has,
)
