# SPDX-License-Identifier: Apache-2.0
"""By what steps the bootloader copies the kernel."""

from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.kernel_place import has_places
from perfboard.images.recipe import Recipe


def _by_bytes(recipe: Recipe) -> Recipe:
    return replace(recipe, copy="cp.b")


FACTOR = Factor(
    name="copy",
    title="By what steps the bootloader copies the kernel",
    levels={"words": Level(), "bytes": Level(_by_bytes)},
    has=has_places,
)
