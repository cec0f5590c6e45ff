# SPDX-License-Identifier: Apache-2.0
"""`perfboard tune`: what to change, so that a board boots faster."""

import argparse
import sys

from perfboard.bench.request import Request
from perfboard.boards.loader import LoadedReal, read_board
from perfboard.cli.commands.study import line_of
from perfboard.cli.finish import finish
from perfboard.cli.lab import lab_of
from perfboard.cli.options import options_from
from perfboard.cli.words import parse_factors
from perfboard.model.errors import UsageError
from perfboard.model.target import virtual_name, virtual_target
from perfboard.studies.base import run_study
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.study import TUNE


def tune(options: argparse.Namespace) -> int:
    """Tries the factors, ranks them, and proves the best; the report's path is the last line."""
    return finish(run_study(TUNE, *requested(options), lab_of(options)), options.json)


def requested(options: argparse.Namespace) -> tuple[Request, TuneOptions]:
    """The request for the board, and the options. Raises UsageError for a board that is not one."""
    board, target, real = options.board, options.target or virtual_target(options.board), None
    loaded = read_board(board)
    if isinstance(loaded, LoadedReal):
        board, target, real = loaded.board.virtual, line_of(loaded, options.target), loaded.board
        if not board:
            raise UsageError(
                f"{loaded.path}: virtual: is missing; write there the virtual board, by name or "
                "file, whose images are to be tried"
            )
    if virtual_name(target) not in (None, board):
        raise UsageError(
            f"--target {target}: needs the line of a real board; a virtual one is named by --board"
        )
    request = Request(
        target=target,
        factors=parse_factors(options.set),
        command=("perfboard", *sys.argv[1:]),
        board=real,
    )
    return request, options_from(TuneOptions, options, real, board=board)
