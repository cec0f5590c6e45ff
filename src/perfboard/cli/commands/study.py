# SPDX-License-Identifier: Apache-2.0
"""`perfboard study`: measure, record, report."""

import argparse
import json
import sys
from dataclasses import replace
from functools import partial
from typing import Any

from perfboard.bench.request import Request
from perfboard.boards.loader import LoadedReal, read_board
from perfboard.cli.finish import exit_code, finish, shortest
from perfboard.cli.lab import lab_of
from perfboard.cli.options import options_from
from perfboard.cli.words import parse_factors, print_json
from perfboard.model.board.real import RealBoard
from perfboard.model.errors import EXIT_INTERRUPTED, UsageError, refusals
from perfboard.model.run import Status
from perfboard.model.target import virtual_target
from perfboard.report.sections.profile.boards import boards_text
from perfboard.report.writing import write_report
from perfboard.store.folder import find_run
from perfboard.studies.base import Study, check_study, get_study, run_study

# Studies that are sets of measures now.
_SETS = ("standard", "bringup")


def study(options: argparse.Namespace) -> int:
    """Runs the study; the report's path is the last line."""
    if options.study in _SETS:
        words = f"`perfboard study {options.study}` is called `perfboard measure {options.study}`"
        print(f"{words} now; the old name goes with the next release", file=sys.stderr)
    chosen, asked = requested(options)
    # The user learns of a wrong board before another one is measured.
    if wrong := refusals(*(partial(check_study, chosen, *each) for each in asked)):
        raise UsageError("\n".join(wrong))
    if len(asked) == 1:
        run = run_study(chosen, *asked[0], lab_of(options))
        return finish(run, options.json, budgets=getattr(asked[0][1], "budget", ()))
    runs = []
    for each in asked:
        runs.append(run_study(chosen, *each, lab_of(options)))
        report = write_report(find_run(runs[-1].id))
        print(f"{runs[-1].board.name}: {shortest(report)}", file=sys.stderr)
        if runs[-1].status is Status.ABORTED:
            break
    if options.json:
        print_json([json.loads(run.to_json()) for run in runs])
    else:
        print(boards_text(runs))
    codes = [exit_code(run) for run in runs]
    # One board that is right is an answer.
    return EXIT_INTERRUPTED if EXIT_INTERRUPTED in codes else min(codes)


def requested(options: argparse.Namespace) -> tuple[Study[Any], list[tuple[Request, Any]]]:
    """The study, and for each board the request and the options. Raises UsageError."""
    boards: list[str | None] = options.board or [None]
    if len(boards) > 1 and options.study != "profile":
        raise UsageError(f"--board {boards[1]}: study {options.study} measures one board at a time")
    chosen = get_study(options.study)
    asked = [_asked(chosen, options, board) for board in boards]
    requests = tuple(request for request, _ in asked)
    return chosen, [(replace(request, others=requests), given) for request, given in asked]


def _asked(
    chosen: Study[Any], options: argparse.Namespace, board: str | None
) -> tuple[Request, Any]:
    """The request for a board, and the study's options."""
    target, real = board_of(options.target, board)
    request = Request(
        target=target or chosen.default_target,
        factors=parse_factors(options.set),
        command=("perfboard", *sys.argv[1:]),
        board=real,
        name=options.name or "",
    )
    return request, options_from(chosen.options, options, real)


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
