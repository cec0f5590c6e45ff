# SPDX-License-Identifier: Apache-2.0
import re
from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.console import (
    ConsoleLine,
    Stamps,
    console_marks,
    find_line,
    split_lines,
)
from tests.support.recorded import recorded_boot


def counted(data: bytes) -> Stamps:
    """Byte i at i + 1 hundreds of nanoseconds and i + 1 tens of instructions."""
    count = len(data) + 1
    return Stamps(array("q", range(100, 100 * count, 100)), array("q", range(10, 10 * count, 10)))


def texts(data: bytes) -> list[str]:
    return [line.text for line in split_lines(data, counted(data))]


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


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\0b", "ab"),
        (b"\x1b[1;24r\x1b[0m\x1b(B\x1b)0plain\x1b[31;1m red\x1b[m", "plain red"),
        (b"\x1b]0;title\x07prompt", "prompt"),
        (b"a\tb", "a\tb"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ("µ".encode(), "µ"),
        # A program's escape sequence, cut off by a kernel record, leaves the record whole.
        (b"\x1b[31[    1.234567] x", "[31[    1.234567] x"),
        (b"\x1b[    1.234567] x", "[    1.234567] x"),
        (b"\x1b]0;ti[    1.234567] x", "]0;ti[    1.234567] x"),
    ],
)
def test_text_is_plain(data: bytes, text: str) -> None:
    assert texts(data) == [text]


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
    console_marks(lines)


@given(
    st.lists(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), min_size=1)),
    st.sampled_from([b"\n", b"\r\n", b"\r\r\n", b"\r"]),
)
def test_printed_lines_come_back(lines: list[str], end: bytes) -> None:
    assert texts(b"".join(line.encode() + end for line in lines)) == lines


def test_marks_of_a_recorded_boot() -> None:
    main, command, entry = console_marks(recorded_boot())
    assert (main.name, main.t_ns, main.precision_ns) == ("bootloader.main", 209391400, 6186248)
    assert (command.name, command.t_ns) == ("boot.command", 209403144)
    assert command.precision_ns < 2_000
    assert entry.name == "kernel.entry"
    # The scope saw start_kernel, which follows the decompression, at 847234144 ns.
    assert entry.t_ns < 847234144 < entry.t_ns + entry.precision_ns
    for mark in (main, command, entry):
        assert mark.source == "console"
        assert mark.instructions == mark.t_ns // 8


def test_a_countdown_of_seconds() -> None:
    data = b"Net: none\r\nHit any key to stop autoboot:  1 \x08\x08\x08 0 \r\nnext\r\n"
    main, command = console_marks(split_lines(data, counted(data)))
    assert main.t_ns == 100 * (data.index(b"H") + 1)
    assert main.precision_ns == 100
    assert command.t_ns == 100 * (data.index(b"\nnext") + 1)
    assert command.precision_ns == 200


def test_a_boot_cut_off_has_no_marks_that_were_not_seen() -> None:
    data = b"Hit any key to stop autoboot:  0 "
    assert [m.name for m in console_marks(split_lines(data, counted(data)))] == ["bootloader.main"]
    data = b"Starting kernel ...\r\n\r\n"
    assert console_marks(split_lines(data, counted(data))) == []


def test_find_line_takes_the_first_and_its_first_byte() -> None:
    lines = recorded_boot()
    mark = find_line(lines, r"^system +usable$", "usable")
    line = next(line for line in lines if line.text == "system usable")
    assert mark is not None
    assert (mark.name, mark.t_ns, mark.instructions) == (
        "usable",
        line.start_ns,
        line.instructions,
    )
    assert mark.precision_ns == line.start_ns - lines[lines.index(line) - 1].end_ns
    assert find_line(lines, "no such line", "usable") is None


def test_find_line_reads_only_so_far() -> None:
    data = b"x" * 4096 + b"usable\n"
    lines = split_lines(data, counted(data))
    assert find_line(lines, "usable", "usable") is None
    assert find_line(lines, "^x", "usable") is not None


def test_a_wrong_pattern_is_told() -> None:
    with pytest.raises(re.error):
        find_line([], "(", "usable")


@given(st.integers(0, 10**12))
def test_later_stamps_give_later_marks(late: int) -> None:
    data = b"U-Boot\r\nHit any key to stop autoboot:  0 \r\nStarting kernel ...\r\n\r\nup\r\n"
    stamps = counted(data)
    later = Stamps(array("q", (t + late for t in stamps.ns)), stamps.instructions)
    before = console_marks(split_lines(data, stamps))
    after = console_marks(split_lines(data, later))
    assert len(before) == 3
    assert after == [mark.model_copy(update={"t_ns": mark.t_ns + late}) for mark in before]
