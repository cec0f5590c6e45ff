# SPDX-License-Identifier: Apache-2.0
"""Whether the bootloader checks the kernel's sum before it starts it."""

from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.kernel_place import has_places
from perfboard.images.recipe import Recipe


def _crc32(recipe: Recipe) -> Recipe:
    return replace(recipe, checked=True)


FACTOR = Factor(
    name="check",
    title="Whether the bootloader checks the kernel's sum",
    levels={"none": Level(), "crc32": Level(_crc32)},
    has=has_places,
)
