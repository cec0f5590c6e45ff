# SPDX-License-Identifier: Apache-2.0
"""How much the kernel prints on the console while it boots."""

from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.recipe import Recipe


def _quiet(recipe: Recipe) -> Recipe:
    return replace(recipe, arguments=(*recipe.arguments, "quiet"))


def _off(recipe: Recipe) -> Recipe:
    return replace(recipe, arguments=(*recipe.arguments, "loglevel=0"))


FACTOR = Factor(
    name="console",
    title="What the kernel prints while it boots",
    levels={
        "full": Level(),
        "quiet": Level(_quiet, loses="kernel messages below errors, on the console alone"),
        "off": Level(_off, loses="all kernel messages, on the console alone"),
    },
)
