# SPDX-License-Identifier: Apache-2.0
"""What comes between reset and the kernel."""

from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.kernel_place import has_places
from perfboard.images.recipe import Recipe


def _none(recipe: Recipe) -> Recipe:
    return replace(recipe, direct=True)


FACTOR = Factor(
    name="bootloader",
    title="What comes between reset and the kernel",
    levels={
        "u-boot": Level(),
        "none": Level(
            _none,
            loses="the bootloader's commands and its environment: neither another kernel nor "
            "other arguments can be chosen on the board",
        ),
    },
    has=has_places,
)
