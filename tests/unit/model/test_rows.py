# SPDX-License-Identifier: Apache-2.0
"""Rows are whatever a board sends: they are read within their bounds, or passed over."""

import json
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perfboard.model.rows import (
    Count,
    Positive,
    RefusedRow,
    Row,
    Text,
    Whole,
    Word,
    read_row,
    read_rows,
    row_line,
)
from perfboard.model.text import printable


class _NamedRow(Row):
    row: Literal["named"]
    name: Word
    text: Text


class _CountedRow(Row):
    row: Literal["counted"]
    count: Count
    whole: Whole = 0
    positive: Positive = 1
    counts: tuple[Count, ...] = ()


KINDS = (_NamedRow, _CountedRow, RefusedRow)
LINES = (
    row_line("named", name="a", text="b c"),
    row_line("counted", count=1, whole=-2, positive=3, counts=[4, 5]),
    row_line("refused", what="all", why="\xe9"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.from_regex(r"\d+"),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(("name", "text", "count", "whole", "positive", "counts", "what", "why"))


def check_read_within_bounds(output: str) -> None:
    for row in read_rows(output, *KINDS):
        for value in row.model_dump().values():
            if isinstance(value, str):
                assert value == printable(value) and len(value) <= 1000
            else:
                numbers = value if isinstance(value, tuple) else (value,)
                assert all(-(2**63) <= number < 2**63 for number in numbers)


@given(st.text(), st.sampled_from(("", '{"row":', '{"row":"named","name":', '{"row":"counted",')))
@example("9" * 10_000 + "}", '{"row":"counted","count":')
@example("[" * 100_000, '{"row":')
@example('"\\ud800","text":"\\udfff"}', '{"row":"named","name":')
def test_no_line_raises(text: str, head: str) -> None:
    check_read_within_bounds(head + text)


@given(st.sampled_from(("named", "counted", "refused")) | VALUES, st.dictionaries(NAMES, VALUES))
def test_no_value_of_a_field_raises(kind: object, fields: dict[str, object]) -> None:
    check_read_within_bounds(json.dumps({"row": kind, **fields}, separators=(",", ":")))


@given(st.sampled_from(LINES), st.integers(0, 100), st.integers(0, 100), st.text(max_size=5))
def test_no_damage_of_a_line_raises(line: str, begin: int, length: int, noise: str) -> None:
    check_read_within_bounds(line[:begin] + noise + line[begin + length :])
    # The line after it is read all the same.
    assert read_rows(f"{line[:begin]}{noise}\n{LINES[0]}", _NamedRow)[-1].text == "b c"


@given(st.binary(max_size=300))
def test_text_of_any_bytes_comes_back_as_text_that_prints(data: bytes) -> None:
    row = read_row(
        row_line("named", name="a", text=data.decode(errors="surrogateescape")), _NamedRow
    )
    assert row and row.text == printable(data.decode(errors="replace"))


@given(st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=200))
def test_a_word_of_any_language_comes_back(word: str) -> None:
    row = read_row(row_line("named", name=word, text=""), _NamedRow)
    assert row and row.name == printable(word)


@given(st.text(max_size=1000))
def test_a_row_that_is_written_is_read_again(text: str) -> None:
    row = RefusedRow(row="refused", what="all", why=text)
    line = row.line()
    assert line.isascii() and line.endswith("\n")
    assert read_rows(f"noise\n{line}{line}", RefusedRow) == [row, row]


@pytest.mark.parametrize("name", ["", "two words", "a\n", "x" * 201])
def test_what_is_no_word_is_passed_over(name: str) -> None:
    assert not read_rows(row_line("named", name=name, text=""), _NamedRow)


def test_a_long_text_is_cut() -> None:
    (row,) = read_rows(row_line("named", name="a", text="x" * 5000), _NamedRow)
    assert row.text == "x" * 1000


@pytest.mark.parametrize("as_text", [False, True])
@given(number=st.integers(-(2**70), 2**70))
@example(number=0)
@example(number=2**63)
@example(number=-(2**63) - 1)
def test_a_number_out_of_bounds_is_passed_over(as_text: bool, number: int) -> None:
    value = str(number) if as_text else number
    within = {
        "count": 0 <= number < 2**63,
        "whole": -(2**63) <= number < 2**63,
        "positive": 0 < number < 2**63,
    }
    for field, good in within.items():
        rows = read_rows(row_line("counted", **{"count": 1, field: value}), _CountedRow)
        assert [getattr(row, field) for row in rows] == [number] * good
    rows = read_rows(row_line("counted", count=1, counts=[1, value]), _CountedRow)
    assert [row.counts for row in rows] == [(1, number)] * within["count"]


def test_rows_of_several_kinds_keep_their_order_and_others_are_passed_over() -> None:
    output = "".join((*LINES, "noise\n", row_line("other", count=1), LINES[0][:-4], "\n", *LINES))
    found = read_rows(output, _CountedRow, RefusedRow)
    assert [type(row) for row in found] == [_CountedRow, RefusedRow] * 2
    # What newer programs say more is no matter.
    assert read_row(row_line("counted", count=1, more={"a": [1]}), _CountedRow)
