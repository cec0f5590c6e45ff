# SPDX-License-Identifier: Apache-2.0
"""The commands that texts and pages print, taken as far as their refusals."""

import html
import re
import shlex
from collections.abc import Iterator

from perfboard.boards.loader import load_board, read_board
from perfboard.cli.arguments import make_parser, words_of_today
from perfboard.cli.commands import choose, measure, study, tune
from perfboard.model.errors import UsageError
from perfboard.studies.base import check_study
from perfboard.studies.choose.board import BoardStudy
from perfboard.studies.measure import check_named
from perfboard.studies.tune.study import TUNE

_QUOTED = re.compile(r"`(perfboard\s[^`]*)`")
_MARKED = re.compile(r"<(?:pre|code)[^>]*>(perfboard\s[^<]*)<")


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command in backticks, or on a page in a block of its own."""
    for found in (
        *_QUOTED.findall(html.unescape(text)),
        *map(html.unescape, _MARKED.findall(text)),
    ):
        yield shlex.split(found)


def take(words: list[str]) -> None:
    """Parses the command, and has all refused that its study would refuse before any work.

    Raises UsageError.
    """
    options = make_parser().parse_args(words_of_today(words[1:]))
    words = [words[0], options.function, *words[2:]]
    if words[1] == "study":
        check_study(*study.requested(options))
    elif words[1] == "choose":
        for board in choose.requested(options):
            if wrong := BoardStudy().check(*board):
                raise UsageError("\n".join(wrong))
    elif words[1] == "tune":
        check_study(TUNE, *tune.requested(options))
    elif words[1] == "measure":
        names, request, given = measure.requested(options)
        check_named(names, measure.parse_parameters(options.parameters), request, given)
    elif words[1] == "try":
        load_board(options.board)
    elif words[1] == "boards" and isinstance(getattr(options, "board", None), str):
        read_board(options.board)
