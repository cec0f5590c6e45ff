# SPDX-License-Identifier: Apache-2.0
"""How much a squashfs compresses as one."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.recipe import Recipe
from perfboard.images.rootfs import has_reference

_OTHERS = (4, 16, 64, 256, 1024)


def _of(kib: int) -> Callable[[Recipe], Recipe]:
    return lambda recipe: replace(recipe, root=replace(recipe.root, block=kib << 10))


FACTOR = Factor(
    name="block",
    title="How much a squashfs compresses as one",
    levels={"128k": Level(), **{f"{kib}k": Level(_of(kib)) for kib in _OTHERS}},
    has=has_reference,
)
