# SPDX-License-Identifier: Apache-2.0
"""The medium that the kernel and the root file system lie on: flash, or what the board has."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.disk import DRIVER_OPTIONS
from perfboard.images.recipe import Recipe
from perfboard.images.root.filesystems import SYSTEMS
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError

# Levels that need a flash chip.
_OF_FLASH = {
    ("kernel", "flash"): "has no code that runs where it lies",
    ("kernel", "xip"): "has no code that runs where it lies",
    ("environment", "flash"): "has no flash chip for the bootloader's variables",
    ("copy", "bytes"): "is read by blocks, not by bytes",
    **{
        ("root", name): "has no flash chip for such a root"
        for name, system in SYSTEMS.items()
        if system.through in ("mtd", "ubi")
    },
}


def _on(name: str) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        medium = recipe.flash_board.medium
        if medium is None or medium.name != name:
            has = "flash alone" if medium is None else f"flash, and {medium.name}"
            raise UsageError(f"medium={name}: board {recipe.board.name} has {has}")
        changed = replace(recipe, medium=name)
        built = isinstance(recipe.board.image.kernel, BuiltKernel)
        return changed.with_options(DRIVER_OPTIONS) if built else changed

    return change


def _default(board: VirtualBoard) -> str:
    return board.boots_from if isinstance(board, FlashBoard) else "flash"


def _has(board: VirtualBoard) -> bool:
    return isinstance(board, FlashBoard) and board.medium is not None


FACTOR = Factor(
    name="medium",
    title="The medium that kernel and root lie on",
    levels={
        "flash": Level(),
        "card": Level(_on("card"), excludes=_OF_FLASH),
        "emmc": Level(_on("emmc"), excludes=_OF_FLASH),
    },
    has=_has,
    default_of=_default,
    other_hardware=True,
    beyond_image="it is another board, and no image changes it",
)
