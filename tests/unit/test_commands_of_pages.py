# SPDX-License-Identifier: Apache-2.0
"""Each command that a page shows on a line of its own is one that the program takes."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from perfboard.boards.loader import list_boards
from perfboard.cli.arguments import make_parser
from perfboard.measures.catalogue import all_measures
from perfboard.profiles.loader import list_profiles

_ROOT = Path(__file__).parents[2]
_PAGES = [*_ROOT.glob("*.md"), *(_ROOT / "docs").rglob("*.md")]
# Words that stand for others.
_PLACES = {"FORMAT": "csv", "a|b": "csv"}


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each, without what stands after it on the line."""
    text = re.sub(r" \\\n\s+", " ", page.read_text())
    for line in re.findall(r"^    perfboard (.+)$", text, re.MULTILINE):
        command = re.split(r"\s+#|\s{3,}|\s[|>]\s", line)[0]
        command = re.sub(r"\[.*?\]|\.\.\.", "", command)
        if command.count("'") % 2 == 0:
            yield [_PLACES.get(re.sub(r"^\w+\|.+", "a|b", w), w) for w in shlex.split(command)]


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_a_command_is_taken(page: Path) -> None:
    boards = set(list_boards())
    known = {*all_measures(), *list_profiles()}
    for words in commands(page):
        options = vars(make_parser().parse_args(words))
        if words[0] in {"measure", "measures"}:
            assert {name for name in options["names"] if "/" not in name} <= known, words
        board = options.get("board")
        for name in [board] if isinstance(board, str) else board or []:
            assert name in boards or "/" in name or name in {"gateway", "all"}, words


def test_the_pages_have_commands() -> None:
    assert sum(len(list(commands(page))) for page in _PAGES) > 100
