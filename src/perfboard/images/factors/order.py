# SPDX-License-Identifier: Apache-2.0
"""What the files of a squashfs are sorted by.

There is no level that reads ahead: reading this flash is the processor's own work, so that
what is read sooner takes the same time from what runs meanwhile.
"""

from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.recipe import Recipe
from perfboard.images.rootfs import has_reference


def _use(recipe: Recipe) -> Recipe:
    return replace(recipe, root=replace(recipe.root, order="use"))


FACTOR = Factor(
    name="order",
    title="What the files of a squashfs are sorted by",
    levels={"name": Level(), "use": Level(_use)},
    has=has_reference,
)
