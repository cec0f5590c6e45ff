# SPDX-License-Identifier: Apache-2.0
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.reading.screen import (
    LONGEST_LINE,
    ScreenLine,
    TerminalScreen,
    find,
    matches,
    readable,
)


def rows(*portions: bytes) -> list[ScreenLine]:
    screen = TerminalScreen()
    found = [row for portion in portions for row in screen.add(portion)]
    return [*found, *([screen.pending] if screen.pending else [])]


def readings(*portions: bytes) -> list[list[str]]:
    return [[reading.text for reading in row.readings()] for row in rows(*portions)]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a\0b", "ab"),
        ("\x1b[1;24r\x1b[0m\x1b(B\x1b)0plain\x1b[31;1m red\x1b[m", "plain red"),
        ("\x1b]0;title\x07prompt", "prompt"),
        ("\x1b]3008;start=ab;user=root\x1b\\root", "root"),
        ("\x1bP+q544e\x1b\\root", "root"),
        ("\x1b[?2004hroot@box:~# ", "root@box:~# "),
        ("a\tb", "a\tb"),
        ("\xff\xfe", "\ufffd\ufffd"),
        ("µ".encode().decode("latin-1"), "µ"),
        ("autoboot:  1 \b\b\b 0 ", "autoboot:  0 "),
        ("\b\bLoading |\b/\b-\bdone", "Loading done"),
        # A program's escape sequence, cut off by a kernel record, leaves the record whole.
        ("\x1b[31[    1.234567] x", "[31[    1.234567] x"),
        ("\x1b[    1.234567] x", "[    1.234567] x"),
        ("\x1b]0;ti[    1.234567] x", "]0;ti[    1.234567] x"),
    ],
)
def test_a_line_is_read_as_a_person_reads_it(raw: str, text: str) -> None:
    assert readable(raw) == text


def test_a_record_is_cut_out_of_a_programs_line() -> None:
    assert readings(b"box lo", b"[    2.300000] crng\r\n", b"gin: ") == [
        ["box lo", "[    2.300000] crng", "box lo[    2.300000] crng"],
        ["gin: ", "box login: "],
    ]


def test_so_are_several_with_their_levels_and_those_printed_before_it() -> None:
    data = b"[    1.0] x\nb<6>[    2.300000] one\nox l[    2.310000] two\n[    2.320000] 3\nogin: "
    assert readings(data)[-1] == ["ogin: ", "box login: "]
    assert rows(data)[-1].cut == (("b", 12), ("ox l", 35))


def test_an_escape_sequence_that_a_record_cut_is_whole_again() -> None:
    data = b"target \x1b[0;1;3[    2.305000] crng\r\n9mMulti-User\x1b[0m.\r\n"
    assert readings(data)[-1] == ["9mMulti-User.", "target Multi-User."]


def test_a_line_of_its_own_behind_a_record_is_no_end_of_one_before() -> None:
    assert readings(b"done.\n[    2.300000] crng\nbox login: ")[-1] == ["box login: "]


def test_records_on_one_line_are_read_apart() -> None:
    assert readings(b"[    2.300000] one[    2.310000] two\n") == [
        ["[    2.300000] one", "[    2.310000] two", "[    2.300000] one[    2.310000] two"]
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_return_ends_a_line_unless_a_feed_follows(size: int) -> None:
    data = b" 1%\r 2%\rbox\r\nready\r\r\nend\r"
    portions = [data[at : at + size] for at in range(0, len(data), size)]
    assert [row.text for row in rows(*portions)] == [" 1%", " 2%", "box", "ready", "end"]


@given(st.binary(max_size=200), st.lists(st.integers(0, 200)))
def test_portions_make_no_difference(data: bytes, cuts: list[int]) -> None:
    cuts = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    portions = [data[a:b] for a, b in pairwise(cuts)]
    assert rows(*portions) == rows(data)
    assert sum(row.end - row.start for row in rows(data)) == len(data)


def test_a_line_without_end_is_cut() -> None:
    found = rows(b"." * LONGEST_LINE, b"." * 10)
    assert [len(row.raw) for row in found] == [LONGEST_LINE, 10]


def test_both_ends_of_a_line_are_matched() -> None:
    text = "usable " + "x" * 5000 + " ready"
    assert find(re.compile("usable"), text) == 0
    assert find(re.compile("ready$"), text) == len(text) - 5
    assert not matches(re.compile("^ready"), text)
    assert not matches(re.compile("y" * 10), text)
