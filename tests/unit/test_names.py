# SPDX-License-Identifier: Apache-2.0
"""Names in backticks in docstrings are those of something: a name that goes is mended there."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_SOURCES = sorted((_ROOT / "src/perfboard").rglob("*.py"))
_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*(\(\))?")
_FILE = re.compile(r"\.(txt|jsonl?|log|toml|csv)$")
# Words of the kernel, of systemd, of U-Boot, of screen, and of formats.
_FOREIGN = {
    *("comm", "linux_banner", "__switch_to", "blame", "bootm", "kexec", "logtstamp"),
    # Of a tag, a label and a trace.
    *("kcidb_build", "perfboard_run_info", "otherData", "clocks", "tag_NAME"),
}


def identifiers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str(name)):
                yield name
            case ast.ImportFrom(module=str(name)) | ast.alias(name=name):
                yield from name.split(".")
            case ast.Constant(value=str(text)) if _NAME.fullmatch(text):
                yield from text.split(".")


@cache
def known() -> set[str]:
    """The identifiers of all sources, and the names of their files and folders."""
    found = set(_FOREIGN)
    for room in ("src", "native", "tests", "benchmarks"):
        for path in (_ROOT / room).rglob("*"):
            if path.suffix == ".py":
                found.update(identifiers(ast.parse(path.read_text())))
            elif path.suffix in {".c", ".h", ".def"}:
                found.update(re.findall(r"\w+", path.read_text(errors="replace")))
            found.update((path.stem, path.name))
    return found


def quoted(source: str) -> Iterator[str]:
    """What looks like a name of Python's between backticks in a docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for text in re.findall(r"`([^`]+)`", ast.get_docstring(node) or ""):
                if _NAME.fullmatch(text) and not _FILE.search(text):
                    yield text


@pytest.mark.parametrize("path", _SOURCES, ids=lambda path: str(path.relative_to(_ROOT / "src")))
def test_a_docstring_names_what_is_there(path: Path) -> None:
    for text in quoted(path.read_text()):
        missing = [part for part in text.removesuffix("()").split(".") if part not in known()]
        assert not missing, text


def test_only_names_are_looked_for() -> None:
    source = 'def f():\n    """`A.b` of `c()` in `d.txt`, by `--e f`: `g h`, `[I]`."""\n'
    assert list(quoted(source)) == ["A.b", "c()"]
