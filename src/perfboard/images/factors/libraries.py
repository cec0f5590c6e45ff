# SPDX-License-Identifier: Apache-2.0
"""How the programs get their libraries."""

from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.recipe import Recipe
from perfboard.images.rootfs import has_reference
from perfboard.model.errors import UsageError


def _static(recipe: Recipe) -> Recipe:
    return replace(recipe, root=replace(recipe.root, libraries="static"))


def _stripped(recipe: Recipe) -> Recipe:
    raise UsageError(
        "libraries=stripped: Debian's programs and libraries are stripped as they come"
    )


def _prelinked(recipe: Recipe) -> Recipe:
    raise UsageError(
        "libraries=prelinked: Debian 12 has no prelink; what that saved, the linking of programs "
        "with their libraries as they start, libraries=static saves as well"
    )


def _musl(recipe: Recipe) -> Recipe:
    raise UsageError(
        "libraries=musl: Debian has musl itself, and no busybox that is linked with it"
    )


FACTOR = Factor(
    name="libraries",
    title="How the programs get their libraries",
    levels={
        "dynamic": Level(),
        "static": Level(_static),
        "stripped": Level(_stripped),
        "prelinked": Level(_prelinked),
        "musl": Level(_musl),
    },
    has=has_reference,
)
