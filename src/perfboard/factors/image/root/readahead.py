# SPDX-License-Identifier: Apache-2.0
"""Reading files before a program needs them.

Boards that could have it, those with a disk, have one way to start their scripts, and no root in
memory: it meets no other level that it would have to be refused with.
"""

from perfboard.factors.base import Factor, Level, set_root
from perfboard.images.recipe import Recipe
from perfboard.images.root.build import has_reference
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError


def _boot(recipe: Recipe) -> Recipe:
    if isinstance(recipe.board, FlashBoard):
        raise UsageError(
            f"readahead=boot: board {recipe.board.name} has its root in flash, which the processor "
            "itself reads: what is read sooner takes the same time from what runs meanwhile; "
            "leave it out"
        )
    return set_root(readahead="boot")(recipe)


FACTOR = Factor(
    name="readahead",
    title="Reading files before a program needs them",
    levels={"none": Level(), "boot": Level(_boot)},
    has=has_reference,
)
