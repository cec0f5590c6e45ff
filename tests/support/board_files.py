# SPDX-License-Identifier: Apache-2.0
"""Texts of board files that are changed, and read, by tests."""

from pathlib import Path

import pytest

import perfboard.boards.loader as loader
from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import DiskBoard, FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError

PARTS = Path(loader.__file__).parent / "parts"
VERDEX, RPI2, SETTOP = (
    load_board(name).path.read_text() for name in ("verdex", "rpi2", "settop-web")
)


def load(folder: Path, text: str) -> VirtualBoard:
    """The board of a file with that text, beside the files that these boards name."""
    (folder / "board.toml").write_text(text)
    for name in ("verdex.config", "x86.config"):
        (folder / name).touch()
    return load_board(str(folder / "board.toml")).board


def refusal(folder: Path, text: str) -> str:
    """Why a board's file with that text is refused, without the file's name."""
    with pytest.raises(UsageError) as caught:
        load(folder, text)
    return str(caught.value).replace(f"{folder / 'board.toml'}: ", "")


def flash_board(name: str = "verdex") -> FlashBoard:
    """A board that boots from flash, by its name."""
    board = load_board(name).board
    assert isinstance(board, FlashBoard)
    return board


def disk_board(name: str) -> DiskBoard:
    """A board with a disk, by its name."""
    board = load_board(name).board
    assert isinstance(board, DiskBoard)
    return board


def built_kernel(board: VirtualBoard) -> BuiltKernel:
    """The kernel of a board of which it is built."""
    assert isinstance(board.image.kernel, BuiltKernel)
    return board.image.kernel


def config_of(loaded: LoadedBoard) -> Path:
    """The file of such a kernel's configuration."""
    return loaded.file(built_kernel(loaded.board).config)
