# SPDX-License-Identifier: Apache-2.0
"""The commands that a report prints, for the board of its run."""

from itertools import pairwise

from perfboard.model.run import Run
from perfboard.model.target import command_on, virtual_name, virtual_target


def command_again(run: Run, *words: str) -> str:
    """The command for the board of the run; "" if it is of imported files, or not known."""
    target, board = run.target, virtual_name(run.target)
    if board is not None and not _is_file(board):
        # Version 0.1 kept of a board's file the name in it.
        given = [word for option, word in pairwise(run.provenance.command) if option == "--board"]
        files = [] if board in given else [word for word in given if _is_file(word)]
        if len(files) > 1:
            return ""
        target = virtual_target(files[0]) if files else target
    return command_on(target, run.board.name, *words)


def tune_command(run: Run) -> str:
    """The command that tries the levels of the run's board; "" for a real board."""
    return "" if virtual_name(run.target) is None else command_again(run, "tune", "boot")


def _is_file(board: str) -> bool:
    return "/" in board or board.endswith(".toml")
