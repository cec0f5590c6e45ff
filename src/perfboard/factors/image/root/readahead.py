# SPDX-License-Identifier: Apache-2.0
"""Reading files before a program needs them: from a disk or a card, while the processor waits."""

from perfboard.factors.base import Factor, Level, set_root
from perfboard.images.recipe import Recipe
from perfboard.images.root.build import has_reference
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError


def _boot(recipe: Recipe) -> Recipe:
    if isinstance(recipe.board, FlashBoard) and recipe.medium == "flash":
        raise UsageError(
            f"readahead=boot: board {recipe.board.name} has its root in flash, which the processor "
            "itself reads: what is read sooner takes the same time from what runs meanwhile; "
            "leave it out"
        )
    return set_root(readahead="boot")(recipe)


_FIRST = "starts in the first script, which init does not run then"
_ELSEWHERE = {
    ("init", "parallel"): _FIRST,
    ("init", "application"): _FIRST,
    ("root", "initramfs"): "reads nothing, since the root is in memory",
}
FACTOR = Factor(
    name="readahead",
    title="Reading files before a program needs them",
    levels={"none": Level(), "boot": Level(_boot, excludes=_ELSEWHERE)},
    has=has_reference,
)
