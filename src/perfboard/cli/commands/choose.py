# SPDX-License-Identifier: Apache-2.0
"""`perfboard choose`: which board is right for a device."""

import argparse
import sys
from dataclasses import replace
from typing import Any

from perfboard.analysis.choice.answer import Candidate, Choice
from perfboard.bench.request import Request
from perfboard.boards.loader import list_boards
from perfboard.cli.commands.study import board_of
from perfboard.cli.finish import exit_code, finish, shortest
from perfboard.cli.lab import lab_of
from perfboard.cli.options import options_from
from perfboard.cli.words import parse_factors, parse_tags, print_json
from perfboard.model.errors import (
    EXIT_FAILED_VERDICT,
    EXIT_INCONCLUSIVE,
    EXIT_INTERRUPTED,
    UsageError,
)
from perfboard.model.target import virtual_target
from perfboard.report.choice.page import write_choice
from perfboard.report.choice.text import choice_text
from perfboard.report.choice.words import answer, problems, wanted, why
from perfboard.report.writing import write_report
from perfboard.store.folder import find_run
from perfboard.studies.choose.options import ChooseOptions
from perfboard.studies.choose.study import choose_boards

# The word for all virtual boards that come with Perfboard.
_ALL = "all"


def choose(options: argparse.Namespace) -> int:
    """Holds the boards against the profile; the page's path is the last line.

    Exit code 0: a board can be recommended; 1: all fail; 5: whether one is right is not known.
    """
    asked = requested(options)
    sure = asked[0][1].sure
    named = bool(options.board or options.target) and _ALL not in (options.board or [])
    chosen = choose_boards(asked, lab_of(options), parse_tags(options.tag), named=named)
    choice = chosen.choice(sure)
    if len(asked) == 1 and (run := choice.all[0].run) is not None:
        return finish(run, options.json)
    for each in choice.all:
        if each.run:
            write_report(find_run(each.run.id))
    if options.json:
        print_json(_document(choice))
    else:
        print(choice_text(choice), end="")
    if page := write_choice(choice, chosen.interrupted):
        print(shortest(page), file=sys.stderr if options.json else sys.stdout)
    if chosen.interrupted:
        return EXIT_INTERRUPTED
    if choice.right:
        return 0
    codes = {exit_code(each.run) if each.run else EXIT_INCONCLUSIVE for each in choice.all}
    return EXIT_FAILED_VERDICT if codes == {EXIT_FAILED_VERDICT} else EXIT_INCONCLUSIVE


def requested(options: argparse.Namespace) -> list[tuple[Request, ChooseOptions]]:
    """Each board's request, and the options for it. Raises UsageError for no such board."""
    boards: list[str] = options.board or []
    targets: list[str] = options.target or []
    if len(boards) == len(targets) == 1 and boards != [_ALL]:
        # The line of a real board whose file has none.
        found = [board_of(targets[0], boards[0])]
    else:
        found = [board_of(None, board) for board in boards if board != _ALL]
        found += [(target, None) for target in targets]
    if _ALL in boards or not found:
        found += [(virtual_target(name), None) for name in list_boards()]
    found = list(dict(found).items())
    if options.name and len(found) > 1:
        raise UsageError("--name: is of one target, and several boards are compared; omit it")
    factors, command = parse_factors(options.set), ("perfboard", *sys.argv[1:])
    requests = tuple(
        Request(target, factors, command, board=real, name=options.name or "")
        for target, real in found
    )
    return [
        (replace(each, others=requests), options_from(ChooseOptions, options, each.board))
        for each in requests
    ]


def _document(choice: Choice) -> dict[str, Any]:
    """The answer for programs."""
    return {
        "profile": choice.profile,
        "answer": answer(choice),
        "sure": choice.sure,
        "right": [each.board for each in choice.right],
        "boards": [_board(each, choice) for each in choice.all],
        "wanted": wanted(choice),
        "problems": problems(choice),
    }


def _board(each: Candidate, choice: Choice) -> dict[str, Any]:
    result = each.result
    return {
        "board": each.board,
        "run": each.run.id if each.run else None,
        "price": each.price,
        "currency": each.currency,
        "outcome": result.outcome if result else "not measured",
        "probability": each.probability,
        "why": why(each, choice),
        "problem": each.problem,
        "rows": [row.model_dump(mode="json") for row in result.rows] if result else [],
        "options": [row.model_dump(mode="json") for row in result.options] if result else [],
    }
