# SPDX-License-Identifier: Apache-2.0
"""Texts of board files that are changed, and read, by tests."""

from pathlib import Path

import perfboard.boards.loader as loader
from perfboard.boards.loader import load_board
from perfboard.model.board.board import Board

FOLDER = Path(loader.__file__).parent
VERDEX = (FOLDER / "verdex.toml").read_text()
RPI2 = (FOLDER / "rpi2.toml").read_text()


def load(folder: Path, text: str) -> Board:
    """The board of a file with that text, beside the files that verdex names."""
    (folder / "board.toml").write_text(text)
    (folder / "verdex.config").touch()
    return load_board(str(folder / "board.toml")).board
