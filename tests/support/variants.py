# SPDX-License-Identifier: Apache-2.0
"""Variants of boards for tests."""

from dataclasses import replace

from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.images.variant import Variant
from perfboard.model.board.virtual import VirtualBoard


def variant_of(board: str | VirtualBoard = "verdex", **levels: str) -> Variant:
    """The board, by its name or made from verdex, at these levels and else the defaults."""
    loaded = load_board(board if isinstance(board, str) else "verdex")
    return choose(loaded if isinstance(board, str) else replace(loaded, board=board), levels)
