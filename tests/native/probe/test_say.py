# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe say`, and what it stands on: rows hold any text, and are read back whole."""

import subprocess
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.model.rows import Count, Row, Text, Whole, read_row, read_rows
from perfboard.model.text import printable

from .compiler import HERE, compile_commands, compile_sources


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compile_commands(tmp_path_factory.mktemp("say") / "say", "commands/say.c")


class _TextsRow(Row):
    row: Literal["texts"]
    first: Text
    second: Text


class _NumbersRow(Row):
    row: Literal["numbers"]
    least: Whole
    most: Whole
    all: tuple[Count, ...]
    none: tuple[Count, ...]
    empty: Text


class _BareRow(Row):
    row: Literal["bare"]


# Those that a program's arguments may hold.
BYTES = st.binary(max_size=500).map(lambda data: data.replace(b"\0", b""))


def say(probe: str, *words: str | bytes) -> str:
    done = subprocess.run([probe, "say", *words], capture_output=True, check=True)
    return done.stdout.decode("ascii")


def check_comes_back(probe: str, first: bytes, second: bytes) -> None:
    line = say(probe, "texts", b"first=" + first, b"second=" + second)
    row = read_row(line, _TextsRow)
    texts = (printable(data.decode(errors="replace")) for data in (first, second))
    assert row and (row.first, row.second) == tuple(texts)
    # One line, that no terminal obeys.
    assert line.endswith("\n") and line[:-1].isprintable()


def test_each_byte_comes_back(probe: str) -> None:
    check_comes_back(probe, bytes(range(1, 128)), bytes(range(128, 256)))
    check_comes_back(probe, "für 10 µs = \U0001f600".encode(), b'","row":"other\\')


@settings(max_examples=30, deadline=None)
@given(first=BYTES, second=BYTES)
def test_text_of_any_bytes_comes_back(probe: str, first: bytes, second: bytes) -> None:
    check_comes_back(probe, first, second)


def test_a_row_may_have_no_field(probe: str) -> None:
    assert read_rows(say(probe, "bare"), _BareRow)


@pytest.mark.parametrize(
    "words",
    [
        [],
        [""],
        ["Row"],
        ["a row"],
        ["row", "text"],
        ["row", "=text"],
        ["row", "Name=text"],
        ["row", 'na"me=text'],
        ["row", *(["name=text"] * 17)],
    ],
)
def test_wrong_words_are_told(probe: str, words: list[str]) -> None:
    done = subprocess.run([probe, "say", *words], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr and not done.stdout


def test_numbers_come_back(tmp_path: Path) -> None:
    program = compile_sources(tmp_path / "row", HERE / "row_harness.c")
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    (numbers,) = read_rows(output, _NumbersRow)
    assert (numbers.least, numbers.most) == (-(2**63), 2**63 - 1)
    assert (numbers.all, numbers.none, numbers.empty) == ((0, 1, 2**32 - 1), (), "")
