# SPDX-License-Identifier: Apache-2.0
"""How much of the kernel's region of flash the bootloader copies."""

from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.kernel_place import has_places
from perfboard.images.recipe import Recipe


def _region(recipe: Recipe) -> Recipe:
    return replace(recipe, whole=True)


FACTOR = Factor(
    name="load",
    title="How much of the kernel's region of flash is copied",
    levels={"kernel": Level(), "region": Level(_region)},
    has=has_places,
)
