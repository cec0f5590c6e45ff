# SPDX-License-Identifier: Apache-2.0
"""The size of the board's memory: another part on the same board."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.recipe import Recipe
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError
from perfboard.model.units import format_size

_MIB = 1 << 20
# U-Boot, its heap of 16 MiB and its stack take less at the end of the memory.
_BOOTLOADER = 18 * _MIB
_SIZES = (8, 16, 24, 32, 48, 64, 96, 128, 256, 512)


def _have(size: int) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        board = recipe.board
        machine = board.machine.model_copy(update={"ram": size * _MIB})
        changes: dict[str, object] = {"machine": machine}
        if isinstance(board, FlashBoard):
            _check(board, size)
            if (frame := board.framebuffer) is not None:
                # It stays as far from the end of the memory.
                address = frame.address + machine.ram - board.machine.ram
                changes["framebuffer"] = frame.model_copy(update={"address": address})
        return replace(recipe, board=board.model_copy(update=changes))

    return change


def _check(board: FlashBoard, size: int) -> None:
    """Raises UsageError where the bootloader's copies would not lie in the memory."""
    region, frame = board.flash.kernel, board.framebuffer
    taken = board.image.bootloader.kernel_address - board.machine.ram_base + region.size
    # U-Boot moves to the end; the kernel unpacks itself before its copy.
    least = taken + (frame.size if frame else 0) + _BOOTLOADER
    if size * _MIB < least:
        raise UsageError(
            f"ram={size}M: the bootloader of board {board.name} copies the kernel to the memory up "
            f"to {format_size(taken)}, and moves to the end itself: it needs {format_size(least)}"
        )


FACTOR = Factor(
    name="ram",
    title="The size of the memory",
    levels={
        "board": Level(),
        **{f"{size}M": Level(_have(size), technique=False) for size in _SIZES},
    },
    other_hardware=True,
    of_trials=True,
    has=lambda board: board.timing is not None,
    beyond_image="it is another part, and no image changes it",
)
