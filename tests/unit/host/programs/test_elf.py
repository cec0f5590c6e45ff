# SPDX-License-Identifier: Apache-2.0
"""What a program's file says of itself, and what a damaged one does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.host.programs.elf import look
from tests.support.elfs import NEON, elf_of


@pytest.mark.parametrize(
    ("architecture", "interpreter", "known"),
    [
        ("armhf", "/lib/ld-linux-armhf.so.3", "armhf"),
        ("armhf", "/lib/ld-linux.so.3", "armel"),
        ("arm64", "/lib/ld-linux-aarch64.so.1", "arm64"),
        ("i386", "", "i386"),
        ("amd64", "/lib64/ld-linux-x86-64.so.2", "amd64"),
    ],
)
def test_a_program_says_what_it_is_for(architecture: str, interpreter: str, known: str) -> None:
    found = look(elf_of(architecture, interpreter))
    assert found is not None
    assert (found.architecture, found.interpreter) == (known, interpreter)


def test_an_arm_program_says_what_it_was_built_to_have() -> None:
    found = look(elf_of("armhf", attributes=NEON))
    assert found is not None and found.may_have == ("thumb", "float", "neon")
    # Thumb that is not Thumb-2.
    found = look(elf_of("armhf", attributes=bytes((9, 1, 10, 0))))
    assert found is not None and found.may_have == ()


def test_a_file_of_another_kind_is_no_program() -> None:
    assert look(b"#!/bin/sh\n") is None
    with pytest.raises(ValueError, match="neither a program nor a library"):
        look(elf_of("armhf", kind=1))
    with pytest.raises(ValueError, match="highest byte first"):
        look(elf_of("armhf").replace(b"\x7fELF\1\1", b"\x7fELF\1\2").replace(b"\2\0(", b"\0\2\0"))
    with pytest.raises(ValueError, match="damaged"):
        look(elf_of("arm64")[:40])


@given(st.data())
def test_a_damaged_program_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(elf_of("armhf", "/lib/ld-linux-armhf.so.3", NEON))
    changes = st.tuples(st.integers(4, len(whole) - 1), st.integers(0, 255))
    for place, byte in data.draw(st.lists(changes, min_size=1, max_size=8)):
        whole[place] = byte
    try:
        look(bytes(whole))
    except ValueError as error:
        assert str(error)
