# SPDX-License-Identifier: Apache-2.0
"""`perfboard study`: measure, record, report."""

import argparse
import os
import sys
from pathlib import Path

from perfboard.boards.loader import LoadedReal, read_board
from perfboard.cli.lab import lab_of
from perfboard.cli.options import options_from
from perfboard.cli.words import parse_factors, print_run
from perfboard.model.board.real import RealBoard
from perfboard.model.errors import (
    EXIT_FAILED_VERDICT,
    EXIT_INCONCLUSIVE,
    EXIT_INTERRUPTED,
    UsageError,
    exit_code_of,
)
from perfboard.model.run import Outcome, Run, Status
from perfboard.model.text import printable
from perfboard.report.writing import write_report
from perfboard.store.folder import find_run
from perfboard.studies.base import Request, get_study, run_study


def study(options: argparse.Namespace) -> int:
    """Runs the study; the report's path is the last line."""
    chosen = get_study(options.study)
    target, real = _place(options)
    request = Request(
        target=target or chosen.default_target,
        factors=parse_factors(options.set),
        command=("perfboard", *sys.argv[1:]),
        board=real,
        name=options.name or "",
    )
    given = options_from(chosen.options, options, real)
    return finish(run_study(chosen, request, given, lab_of(options)), options.json)


def finish(run: Run, as_json: bool) -> int:
    """Writes the report of a run that was just made, and prints both; the exit code."""
    report = write_report(find_run(run.id))
    print_run(run, as_json)
    print(_shortest(report), file=sys.stderr if as_json else sys.stdout)
    return _exit_code(run)


def _place(options: argparse.Namespace) -> tuple[str, RealBoard | None]:
    """The target that the user names, or "", and the real board, if its file is given."""
    if options.board is None:
        return options.target or "", None
    loaded = read_board(options.board)
    if isinstance(loaded, LoadedReal):
        return line_of(loaded, options.target), loaded.board
    if options.target is not None:
        raise UsageError(
            f"--target {options.target}: board {loaded.board.name} is virtual, a target by itself; "
            "omit one of the two"
        )
    return f"virtual:{options.board}", None


def line_of(real: LoadedReal, target: str | None) -> str:
    """The target that the user names, else the line in the file. Raises UsageError for neither."""
    if not (target or real.board.target):
        raise UsageError(
            f"{real.path}: target: is missing; write the line of the board there, "
            '"serial:///dev/DEVICE", or give it as --target'
        )
    return target or real.board.target


def _shortest(path: Path) -> str:
    """The path as the user would type it: relative where that is inside this folder."""
    try:
        relative = os.path.relpath(path)
    except FileNotFoundError:
        # The working folder is gone.
        return printable(str(path))
    return printable(str(path) if relative.startswith("..") else relative)


def _exit_code(run: Run) -> int:
    if run.status is Status.ABORTED:
        return EXIT_INTERRUPTED
    if run.errors:
        return exit_code_of(run.errors[0].kind)
    outcomes = {verdict.outcome for verdict in run.verdicts}
    if Outcome.FAIL in outcomes:
        return EXIT_FAILED_VERDICT
    undecided = any(result.undecided for result in run.results)
    return EXIT_INCONCLUSIVE if undecided or Outcome.INCONCLUSIVE in outcomes else 0
