# SPDX-License-Identifier: Apache-2.0
"""What an image is made by: the board as its file says, and what the levels of factors change."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from perfboard.images.kernel_place import COPIED
from perfboard.model.board import Board


@dataclass(frozen=True)
class Recipe:
    """How to make one image of a board.

    `board` is what the emulator is told to be, and may differ from the board's file where a
    level says so. `arguments` are words for the kernel's command line, `options` settings of its
    configuration over the fragment's, `variables` those of U-Boot over ours; `place` is where
    the kernel runs, one of `kernel_place.LEVELS`.
    """

    board: Board
    arguments: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    place: str = COPIED
