# SPDX-License-Identifier: Apache-2.0
"""The source of U-Boot's command: its environment in flash, or the device tree.

Debian's U-Boot reads all of the environment's region, whose size it is built with, three times:
for the sum before it has memory, for the sum again, and to copy it. With load-environment = <0>
in the device tree it leaves out the last two. No setting avoids the first.
"""

from perfboard.factors.base import Factor, Level, set_fields
from perfboard.model.board.virtual import FlashBoard, VirtualBoard


def _has(board: VirtualBoard) -> bool:
    return isinstance(board, FlashBoard)


def _default(board: VirtualBoard) -> str:
    """With a card there is no flash chip for the variables: U-Boot has them in itself."""
    card = isinstance(board, FlashBoard) and board.boots_from != "flash"
    return "tree" if card else "flash"


FACTOR = Factor(
    name="environment",
    title="The source of the bootloader's command",
    levels={
        "flash": Level(),
        "tree": Level(
            set_fields(environment="tree"),
            loses="the bootloader's variables that were saved on the board (saveenv)",
        ),
    },
    has=_has,
    default_of=_default,
)
