# SPDX-License-Identifier: Apache-2.0
"""Each command line of the pages is one that Perfboard takes, with names that there are.

A word in capitals stands for a name of the reader's, and "..." for more words. Words for the reader
stand after a "#".
"""

import fnmatch
import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from perfboard.boards.loader import list_boards, load_board
from perfboard.cli.arguments import make_parser, words_of_today
from perfboard.cli.commands.measure import parse_parameters
from perfboard.factors.choose import check_known, factors_of
from perfboard.importers.choose import importers
from perfboard.measures.catalogue import all_measures
from perfboard.model.budget import parse_limits
from perfboard.model.errors import UsageError
from perfboard.profiles.loader import list_profiles, load_profile, profile_path
from perfboard.studies.sets import items_named
from perfboard.targets.opening import kind_of

_ROOT = Path(__file__).parents[2]
_NOTES = _ROOT / "docs/notes"
_PAGES = [
    page
    for page in (*_ROOT.glob("*.md"), *(_ROOT / "docs").rglob("*.md"))
    if _NOTES not in page.parents
]
# In a block, in a CI's file, and within a sentence or a table's cell.
_LINES = re.compile(r"^ *(?:- )?(perfboard .*)$|(?<!`)`(perfboard [^`]+)`", re.MULTILINE)
_READERS = re.compile(r"[A-Z][A-Z_]*(?:~\d)?")


def lines_of(page: Path) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it stands in a sentence, where it may be the name of a command."""
    text = re.sub(r" *\\\n\s*", " ", page.read_text())
    for block, span in _LINES.findall(text):
        yield " ".join((block or span).replace("\\|", "|").split()), bool(span)


_ALL = [(page, *line) for page in _PAGES for line in lines_of(page)]
# A name of a command ends where an argument would follow.
_ENDS_EARLY = r"are required|expected (one|at least one|2) argument"


def is_own(name: str) -> bool:
    """Whether it is the reader's: a path, or a word in capitals."""
    path = "/" in name or name.partition(",")[0].endswith(".toml")
    return path or bool(_READERS.fullmatch(name))


def given(options: Any, *names: str) -> list[str]:
    """The values of the options of these names, each alone or repeated."""
    values = (vars(options).get(name) or [] for name in names)
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def check_boards(options: Any) -> None:
    sides = [side.partition(",")[0] for side in given(options, "measure")]
    names = [*given(options, "board", "--compare", "like"), *sides]
    names = [name for name in names if not is_own(name) and name != "all"]
    assert not {*names} - {*list_boards()}
    levels = [level.partition("=") for level in given(options, "set", "--set", "--keep", "--allow")]
    known: dict[str, Any] = {}
    for name in (names or list_boards()) if levels else ():
        known |= factors_of(load_board(name).board)
    check_known("", known, [(factor, level) for factor, _, level in levels if not is_own(factor)])


def check_measures(options: Any) -> None:
    names = given(options, "names")
    if names and not any(is_own(name) for name in names):
        items_named(names, parse_parameters(given(options, "parameters")))
    known = {q.name for measure in all_measures().values() for q in measure.metrics}
    limits = parse_limits(given(options, "--budget", "budget"))
    for metric in [*given(options, "metric"), *(limit.metric for limit in limits)]:
        named = fnmatch.filter(known, metric) or metric.startswith(("boot.", "image."))
        assert named or is_own(metric), f"there is no metric {metric}"


def check_profile(options: Any) -> None:
    for name in given(options, "profile"):
        if not is_own(name):
            assert name in list_profiles()
            rows = [row.name for row in load_profile(profile_path(name)).key_issue]
            assert set(given(options, "--only")) <= {*rows}


def check_line(line: str) -> None:
    """Raises what tells its writer what is wrong with it."""
    words = shlex.split(line.replace("[", "").replace("]", ""), comments=True)[1:]
    # A shell's pipe and redirection are no words of ours.
    words = [*takewhile(lambda word: not word.startswith(("|", ">")), words)]
    if not words or _READERS.fullmatch(words[0]) or {"--help", "--version"} & {*words}:
        return
    parser = make_parser()
    if "..." in words or any("|" in word for word in takewhile("--".__ne__, words)):
        assert words[0] in {*(parser.commands or ())}
        return
    options = parser.parse_args(words_of_today(words))
    check_boards(options)
    check_measures(options)
    check_profile(options)
    for target in given(options, "target"):
        if not _READERS.fullmatch(target):
            kind_of(target)
    assert {*given(options, "--as")} <= {*importers()}


@pytest.mark.parametrize(
    ("page", "line", "within"), _ALL, ids=lambda one: getattr(one, "name", one)
)
def test_a_command_line_of_the_pages_is_taken(page: Path, line: str, within: bool) -> None:
    try:
        check_line(line)
    except UsageError as error:
        if not within or not re.search(_ENDS_EARLY, str(error)):
            raise


@pytest.mark.parametrize(
    "line",
    [
        "perfboard sudy boot",
        "perfboard study boot --board verdix",
        "perfboard study boot --board verdex in a sentence",
        "perfboard study boot --board verdex --set console=quite",
        "perfboard study boot --board rpi2 --budget 'bot.total <= 3 s'",
        "perfboard measure disk.df",
        "perfboard measure disk.dd --with quik=true",
        "perfboard measure --target sh://board",
        "perfboard choose gatway",
        "perfboard choose gateway --only no-such-row",
        "perfboard import --as no-such-format boot.log",
        "perfboard gate --measure ./a.toml verdix,console=quiet",
    ],
)
def test_a_line_with_a_wrong_name_is_refused(line: str) -> None:
    with pytest.raises((UsageError, AssertionError)):
        check_line(line)
