# SPDX-License-Identifier: Apache-2.0
"""What a console's shell and this side say to each other: laws of the pure part."""

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.targets.console.wire import (
    LONGEST_TEXT,
    SUMS,
    ConsoleWire,
    cksum,
    encode,
    functions,
    split,
)

TAG = "pb0123abcd"
WIRE = ConsoleWire("md5sum", TAG)


def answer(number: int, status: int, output: bytes) -> bytes:
    """What the target's `_w` prints."""
    checksum = SUMS["md5sum"](b"%d %d %s" % (number, status, output)).encode()
    tag = TAG.encode()
    head = b"<%s:%d %d %s\n" % (tag, number, status, checksum)
    return b"\n" + head + output + b"\n>%s:%d\n" % (tag, number)


@pytest.mark.parametrize("data", [b"", b"a", b"\0" * 300, bytes(range(256)) * 5])
def test_cksum_is_that_of_the_program(data: bytes) -> None:
    said = subprocess.run(["cksum"], input=data, capture_output=True, check=True).stdout
    assert said.split()[0] == str(cksum(data)).encode()


@given(st.binary(max_size=2000))
def test_what_is_encoded_is_plain_and_comes_back(data: bytes) -> None:
    text = encode(data)
    assert re.fullmatch(r"([A-Za-z0-9_./=+:,-]|\\0[0-7]{3})*", text)
    back = re.sub(rb"\\0([0-7]{3})", lambda m: bytes([int(m[1], 8)]), text.encode())
    assert back == data
    pieces = split(text)
    assert "".join(pieces) == text
    assert pieces
    assert all(len(piece) <= LONGEST_TEXT for piece in pieces)
    # None begins or ends within an escape.
    assert all(re.fullmatch(r"(?:\\0[0-7]{3}|[^\\])*", piece) for piece in pieces)


@pytest.mark.parametrize("sum_program", SUMS)
def test_the_functions_can_be_sent_in_quotes_on_a_line_each(sum_program: str) -> None:
    for function in functions(sum_program, TAG):
        assert "'" not in function
        assert "\n" not in function


@given(st.binary(max_size=300), st.integers(0, 255), st.booleans())
def test_an_answer_is_found_among_other_things(noise: bytes, status: int, echoes: bool) -> None:
    said = noise.replace(b"<", b"") + answer(7, status, b"out\nput")
    if echoes:
        said = said.replace(b"\n", b"\r\n")
    assert WIRE.answer(7, said + noise) == (status, b"out\nput")
    assert WIRE.answer(8, said) is None
    assert WIRE.ended(7, said)


@given(st.data())
def test_a_damaged_answer_is_none(data: st.DataObject) -> None:
    said = answer(7, 0, b"the output")
    begin, end = said.index(b"<"), said.rindex(b"\n>")
    at = data.draw(st.integers(begin, end))
    byte = data.draw(st.integers(32, 126).filter(lambda byte: byte != said[at]))
    damaged = said[:at] + bytes([byte]) + said[at + 1 :]
    found = WIRE.answer(7, damaged)
    assert found is None or found == (0, b"the output")


def test_a_refusal_says_what_came() -> None:
    assert WIRE.refusal(3, b"\r\n<pb0123abcd:3 ? 1234abcd\r\n") == "1234abcd"
    assert WIRE.refusal(4, b"\r\n<pb0123abcd:3 ? 1234abcd\r\n") is None
