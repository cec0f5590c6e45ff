# SPDX-License-Identifier: Apache-2.0
"""Each command that a message, a help or a template names is one that the program takes."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import perfboard
from perfboard.cli.arguments import make_parser

_SOURCES = Path(perfboard.__file__).parent
_MODULES = sorted(path for path in _SOURCES.rglob("*.py") if "perfboard" in path.read_text())
_TEMPLATES = sorted(_SOURCES.rglob("*.j2"))
# How many words each function that makes commands takes before those of the command.
_MAKERS = {"command": 0, "command_of": 0, "command_on": 2, "command_again": 1}
_MADE = re.compile(r"^from perfboard\.(?:model\.target|report\.words\.commands) import", re.M)
# Words that stand for others; what a program fills in is any word.
_PLACES = {"STUDY": "boot", "FIELD": "boot", "N": "1"}


def _text(node: ast.expr) -> str:
    """The text of a string, with FIELD for each part that is filled in; "" for another node."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.FormattedValue):
        return "FIELD"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _strings(tree: ast.Module) -> Iterator[str]:
    """The texts of a module, without those for its readers."""
    nodes = list(ast.walk(tree))
    passed = {
        id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values
    } | {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in passed:
            yield _text(node)


def _lines(text: str) -> Iterator[str]:
    """The commands of a text: in backticks, and each example on a line of its own."""
    yield from re.findall(r"`perfboard ([^`]+)`", text)
    for line in re.findall(r"^ +(?:[^`\n]*\| )?perfboard (.+)$", text.replace("\\\n", ""), re.M):
        words = re.split(r"\s{2,}[a-z]", line)[0]
        # A pipe ends it, but not one in quotes.
        yield re.findall(r"\A(?:'[^']*'|[^'|>])*", words)[0]


def _made(source: str) -> Iterator[list[str]]:
    """The words of those that the functions make."""
    for node in ast.walk(ast.parse(source)) if _MADE.search(source) else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            skipped = _MAKERS.get(node.func.id)
            if skipped is not None and not any(isinstance(each, ast.Starred) for each in node.args):
                words = [_text(each) or "FIELD" for each in node.args[skipped:]]
                yield [*words, "--board", "rpi2"] if skipped else words


def _take(words: list[str]) -> None:
    if words[0] == "FIELD":
        return
    try:
        make_parser().parse_args([_PLACES.get(word, word) for word in words])
    except SystemExit as left:
        # The help of that command.
        assert left.code == 0, words


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: str(path.relative_to(_SOURCES)))
def test_a_module_names_commands_that_there_are(path: Path) -> None:
    source = path.read_text()
    for text in _strings(ast.parse(source)):
        for line in _lines(text):
            _take(shlex.split(line))
        # The words for a board are its target's: one function makes them.
        assert not re.search(r"perfboard [^`\n]*--(board|target) FIELD", text), text
    for words in _made(source):
        _take(words)


@pytest.mark.parametrize("path", _TEMPLATES, ids=lambda path: path.name)
def test_a_template_names_commands_that_there_are(path: Path) -> None:
    text = path.read_text()
    for line in re.findall(r"<(?:pre|code)[^>]*>perfboard ([^<]+)<", text):
        assert "{" not in line
        _take(shlex.split(line))


def test_commands_are_found() -> None:
    texts = [_strings(ast.parse(path.read_text())) for path in _MODULES]
    assert sum(len(list(_lines(text))) for each in texts for text in each) > 80
