# SPDX-License-Identifier: Apache-2.0
"""A board's framebuffer where programs are tried on it."""

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.program.framebuffer import framebuffer_tree
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError
from perfboard.model.progress import SilentProgress


def test_a_board_with_flash_has_a_screen_and_one_with_a_disk_has_none() -> None:
    assert load_board("rpi2").board.screen == load_board("teres").board.screen == (640, 480)
    assert load_board("settop-web").board.screen is None


def test_a_framebuffer_that_is_not_there_or_not_in_memory_is_refused() -> None:
    with pytest.raises(UsageError, match="framebuffer: board settop-web has none"):
        framebuffer_tree(load_board("settop-web").board, SilentProgress())
    board = load_board("rpi2").board
    assert isinstance(board, FlashBoard) and board.framebuffer is not None
    frame = board.framebuffer.model_copy(update={"address": board.machine.ram_end})
    with pytest.raises(UsageError, match="framebuffer: found 0x60000000"):
        framebuffer_tree(board.model_copy(update={"framebuffer": frame}), SilentProgress())
