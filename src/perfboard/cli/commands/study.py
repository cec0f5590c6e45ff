# SPDX-License-Identifier: Apache-2.0
"""`perfboard study`: measure, record, report."""

import argparse
import sys
from typing import Any

from perfboard.bench.request import Request
from perfboard.boards.loader import LoadedReal, read_board
from perfboard.cli.finish import finish
from perfboard.cli.lab import lab_of
from perfboard.cli.options import options_from
from perfboard.cli.words import parse_factors
from perfboard.model.board.real import RealBoard
from perfboard.model.errors import UsageError
from perfboard.model.target import virtual_target
from perfboard.studies.base import Study, get_study, run_study

# Studies that are sets of measures now.
_SETS = ("standard", "bringup")


def study(options: argparse.Namespace) -> int:
    """Runs the study; the report's path is the last line."""
    if options.study in _SETS:
        words = f"`perfboard study {options.study}` is called `perfboard measure {options.study}`"
        print(f"{words} now; the old name goes with the next release", file=sys.stderr)
    chosen, request, given = requested(options)
    run = run_study(chosen, request, given, lab_of(options))
    return finish(run, options.json, budgets=getattr(given, "budget", ()))


def requested(options: argparse.Namespace) -> tuple[Study[Any], Request, Any]:
    """The study, the request, and the study's options. Raises UsageError."""
    chosen = get_study(options.study)
    target, real = board_of(options.target, options.board)
    request = Request(
        target=target or chosen.default_target,
        factors=parse_factors(options.set),
        command=("perfboard", *sys.argv[1:]),
        board=real,
        name=options.name or "",
    )
    return chosen, request, options_from(chosen.options, options, real)


def board_of(target: str | None, board: str | None) -> tuple[str, RealBoard | None]:
    """The target that the user names, or "", and the real board, if its file is given."""
    if board is None:
        return target or "", None
    loaded = read_board(board)
    if isinstance(loaded, LoadedReal):
        return line_of(loaded, target), loaded.board
    if target is not None:
        raise UsageError(
            f"--target {target}: board {loaded.board.name} is virtual, a target by itself; "
            "omit one of the two"
        )
    return virtual_target(board), None


def line_of(real: LoadedReal, target: str | None) -> str:
    """The target that the user names, else the line in the file. Raises UsageError for neither."""
    if not (target or real.board.target):
        raise UsageError(
            f"{real.path}: target: is missing; write the line of the board there, "
            '"serial:///dev/DEVICE", or give it as --target'
        )
    return target or real.board.target
