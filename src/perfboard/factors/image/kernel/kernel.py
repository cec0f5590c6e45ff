# SPDX-License-Identifier: Apache-2.0
"""The place that the kernel is unpacked from and runs at: the boot study's three kinds of image."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.flash.place import (
    COPIED,
    FLASH,
    XIP,
    driven_banks,
    has_places,
    place_options,
)
from perfboard.images.recipe import Recipe
from perfboard.model.errors import UsageError


def _at(place: str) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        driven_banks(recipe.flash_board, place)
        if recipe.place != COPIED:
            raise UsageError(f"kernel={place}: needs compression=gzip; found none")
        return replace(recipe, place=place).with_options(place_options(recipe.flash_board, place))

    return change


FACTOR = Factor(
    name="kernel",
    title="Where the kernel is unpacked from and runs",
    shortens=("boot.kernel.load",),
    levels={
        "copied": Level(),
        "flash": Level(_at(FLASH)),
        "xip": Level(_at(XIP), loses="reading and writing the bank of flash that the kernel is in"),
    },
    has=has_places,
    # Code that stays in flash pays where flash is cached.
    tried_with=("flash",),
)
