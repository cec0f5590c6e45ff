# SPDX-License-Identifier: Apache-2.0
"""The speed of the console's line."""

from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.recipe import Recipe


def _at(baud: int) -> Level:
    def change(recipe: Recipe) -> Recipe:
        console = recipe.board.console.model_copy(update={"baud": baud})
        return replace(recipe, board=recipe.board.model_copy(update={"console": console}))

    return Level(change)


FACTOR = Factor(
    name="baud",
    title="The speed of the console's line",
    levels={"board": Level(), **{str(baud): _at(baud) for baud in (9600, 38400, 115200)}},
    beyond_image="the real board's line is read at one speed, the target's",
)
