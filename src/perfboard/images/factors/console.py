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
        # The kernel's log has all of them still.
        "quiet": Level(_quiet),
        "off": Level(
            _off, loses="what the kernel says of errors while it boots, on the console alone"
        ),
    },
)
