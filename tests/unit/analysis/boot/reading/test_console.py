# SPDX-License-Identifier: Apache-2.0
import re
from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.console import (
    ConsoleEvent,
    ConsoleLine,
    Stamps,
    read_rows,
    sight,
    split_lines,
)


def counted(data: bytes) -> Stamps:
    """Byte i at i + 1 hundreds of nanoseconds and i + 1 tens of instructions."""
    count = len(data) + 1
    return Stamps(array("q", range(100, 100 * count, 100)), array("q", range(10, 10 * count, 10)))


def texts(data: bytes) -> list[str]:
    return [line.text for line in split_lines(data, counted(data))]


def sighted(data: bytes, stamps: Stamps, pattern: str) -> ConsoleEvent | None:
    rows = read_rows([data], stamps)
    found = (sight(re.compile(pattern), row, stamps, "usable") for row in rows)
    return next((each for each in found if each), None)


def test_a_line_has_the_stamps_of_its_first_and_last_bytes() -> None:
    data = b"ab\r\n\r\ncd"
    assert split_lines(data, counted(data)) == [
        ConsoleLine("ab", 100, 200, 400, 10, 40),
        ConsoleLine("", 500, 500, 600, 50, 60),
        ConsoleLine("cd", 700, 800, 800, 70, 80),
    ]


def test_lines_end_in_any_mix() -> None:
    assert texts(b"a\nb\r\nc\r\r\nd\re") == ["a", "b", "c", "d", "e"]
    assert texts(b"a\n\rb") == ["a", "", "b"]


def test_times_without_counts() -> None:
    assert split_lines(b"a\n", Stamps(array("q", [5, 9]))) == [ConsoleLine("a", 5, 5, 9)]


def test_a_portion_has_one_stamp() -> None:
    stamps = Stamps(array("q", [5, 9]), ends=array("I", [2, 5]))
    assert len(stamps) == 5
    assert [stamps.at(offset) for offset in range(-1, 5)] == [0, 5, 5, 9, 9, 9]
    assert split_lines(b"a\nbcdef", stamps) == [
        ConsoleLine("a", 5, 5, 5),
        ConsoleLine("bcd", 9, 9, 9),
    ]


def test_bytes_without_a_stamp_are_left_out() -> None:
    short = Stamps(array("q", [10, 20, 30]), array("q", [1, 2, 3]))
    assert split_lines(b"abcd\nef\n", short) == [ConsoleLine("abc", 10, 30, 30, 1, 3)]


def test_times_and_counts_go_together() -> None:
    with pytest.raises(ValueError, match="2 times but 1 counts"):
        Stamps(array("q", [1, 2]), array("q", [1]))


@given(st.binary(max_size=200), st.integers(0, 220))
def test_any_bytes_become_lines_in_order(data: bytes, stamped: int) -> None:
    stamps = Stamps(array("q", range(0, 7 * stamped, 7)))
    lines = split_lines(data, stamps)
    times = [t for line in lines for t in (line.start_ns, line.text_end_ns, line.end_ns)]
    assert times == sorted(times)
    # Every stamped byte belongs to exactly one line.
    assert all(later.start_ns == line.end_ns + 7 for line, later in pairwise(lines))
    assert sum(line.end_ns - line.start_ns + 7 for line in lines) == 7 * min(len(data), stamped)
    assert not any(c in line.text for line in lines for c in "\0\x1b\r\n")


@given(
    st.lists(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), min_size=1)),
    st.sampled_from([b"\n", b"\r\n", b"\r\r\n", b"\r"]),
)
def test_printed_lines_come_back(lines: list[str], end: bytes) -> None:
    assert texts(b"".join(line.encode() + end for line in lines)) == lines


def test_a_text_is_sighted_at_the_first_byte_of_its_line() -> None:
    data = b"x\nsystem usable\nsystem usable\n"
    found = sighted(data, counted(data), r"^system +usable$")
    assert found is not None and found.record_ns is None
    assert (found.mark.name, found.mark.t_ns, found.mark.precision_ns) == ("usable", 300, 100)
    assert found.mark.instructions == 30
    assert sighted(data, counted(data), "no such line") is None


def test_a_text_behind_a_pause_is_sighted_behind_it() -> None:
    data = b"Starting: ready\n"
    stamps = Stamps(array("q", [*range(10), *range(10**9, 10**9 + 6)]))
    for text, t_ns in (("Start", 0), ("ready", 10**9), ("g: r", 0)):
        found = sighted(data, stamps, text)
        assert found is not None and found.mark.t_ns == t_ns


def test_a_text_that_a_record_cut_is_sighted_where_it_began() -> None:
    data = b"box lo[    2.300000] crng\r\ngin: "
    found = sighted(data, counted(data), "box login:")
    assert found is not None
    assert (found.mark.t_ns, found.record_ns) == (100, None)


def test_a_text_of_a_record_is_sighted_with_the_kernels_time() -> None:
    data = b"box lo[    2.300000] crng\r\n"
    found = sighted(data, counted(data), "crng")
    assert found is not None
    assert (found.mark.t_ns, found.record_ns) == (700, 2_300_000_000)
