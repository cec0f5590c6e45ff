# SPDX-License-Identifier: Apache-2.0
"""`perfboard boards`: the boards there are, one of them, or a new one."""

import argparse
from dataclasses import asdict
from pathlib import Path

from perfboard.boards.loader import list_boards, load_board, read_board
from perfboard.cli.words import print_json
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.target import command
from perfboard.model.text import printable
from perfboard.report.boards import board_rows, board_text, boards_text


def boards(options: argparse.Namespace) -> int:
    """Lists the boards."""
    rows = board_rows(load_board(name).board for name in list_boards())
    if options.json:
        print_json([asdict(row) for row in rows])
    else:
        print(boards_text(rows), end="")
    return 0


def show(options: argparse.Namespace) -> int:
    """Shows one board, virtual or real."""
    loaded = read_board(options.board)
    if options.json:
        print_json(loaded.board.model_dump(mode="json", by_alias=True))
        return 0
    if options.file:
        print(printable(loaded.path.read_text("utf-8")), end="")
        return 0
    print(board_text(loaded.board, options.board))
    print(printable(f"Its file, by --file: {loaded.path}"))
    return 0


def new(options: argparse.Namespace) -> int:
    """Writes the file of a board that boots an image of the user's own, and boots it if asked."""
    from perfboard.boards.new import OwnFiles, board_text

    path = Path(f"{options.new_board}.toml")
    own = OwnFiles(options.kernel, options.system_map, options.root, options.usable)
    text = board_text(options.new_board, options.like, own, Path())
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path}: is there already; choose another name, or delete it") from error
    except OSError as error:
        raise EnvironmentLacksError(f"cannot write {path}: {error.strerror}") from error
    # It loads the image's builder, which the lists do not need.
    from perfboard.images.own_files import check_own_kernel

    try:
        check_own_kernel(load_board(f"./{path}"))
    except UsageError:
        path.unlink()
        raise
    if options.boot:
        from perfboard.cli.command import main

        as_json = ("--json",) if options.json else ()
        return main(("study", "boot", "--board", f"./{path}", "--boots", "1", *as_json))
    if options.json:
        print_json({"board": options.new_board, "file": str(path)})
    else:
        following = command("study", "boot", "--board", f"./{path}")
        print(printable(f"{path}\nNext: {following}"))
    return 0
