# SPDX-License-Identifier: Apache-2.0
"""What is said of programs that a board has not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.images.packages.missing import missing_remarks

FILES = (
    *("/usr/bin/convert-im6.q16", "/usr/bin/lua5.4", "/usr/bin/luac5.4", "/usr/bin/bzip2"),
    *("/usr/share/doc/convert-not", "/usr/lib/libconvert.so"),
)


@pytest.mark.parametrize(
    ("said", "remarks"),
    [
        (
            b"perfboard: cannot run convert: there is no such program on the board\n",
            ["No package has convert; what begins so is convert-im6.q16."],
        ),
        (b"sh: lua: not found\n", ["No package has lua; what begins so is lua5.4, luac5.4."]),
        (
            b"bash: line 1: lua: command not found\n",
            ["No package has lua; what begins so is lua5.4, luac5.4."],
        ),
        (b"sh: nosuch: not found\n", []),
        (b"sh: bzip2: not found\n", []),
        (b"cat: lua: No such file or directory\n", []),
        (b"\xff: not found\n: not found\n", []),
        (b"", []),
    ],
)
def test_what_begins_like_an_absent_program_is_named(said: bytes, remarks: list[str]) -> None:
    assert missing_remarks(said, (), FILES) == remarks


@pytest.mark.parametrize(
    ("line", "said", "wanted"),
    [
        (
            "#!/bin/bash",
            "perfboard: cannot run ./go: the interpreter or dynamic loader that",
            "bash",
        ),
        ("#! /usr/bin/python3 -u", "sh: /work/go: not found", "python3"),
        ("#!/usr/bin/env bash", "env: can't execute 'bash': No such file or directory", "bash"),
        ("#!/usr/bin/env -S X=1 perl -w", "env: can't execute 'perl': No such file", "perl"),
        ("#!/bin/bash", "sh: go: not found", ""),
        ("#!/bin/bash", "sh: ./stop: not found", ""),
        ("#!", "sh: ./go: not found", ""),
        ("\x7fELF", "perfboard: cannot run ./go: the interpreter or dynamic loader that", ""),
    ],
)
def test_a_script_whose_interpreter_is_absent_is_told(
    tmp_path: Path, line: str, said: str, wanted: str
) -> None:
    script = tmp_path / "go"
    script.write_text(f"{line}\necho\n")
    found = missing_remarks(f"{said}\n".encode(), [script], FILES)
    remark = f"go is a script for {wanted}, which is not on the board; --package {wanted} may"
    assert found == ([f"{remark} bring it."] if wanted else [])


@given(st.binary(max_size=200))
def test_whatever_a_command_says_it_is_read(said: bytes) -> None:
    missing_remarks(said, (), FILES)
