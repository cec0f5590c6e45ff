# SPDX-License-Identifier: Apache-2.0
"""The scope's own C, compiled with sanitizers and run without an emulator."""

import json
import subprocess
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reads marks from standard input, and prints each as a record that was reached."""
    return compile_sanitized(
        tmp_path_factory.mktemp("native") / "harness",
        SCOPE,
        HERE / "marks_harness.c",
        *("record/marks.c", "record/record.c"),
    )


def read(harness: Path, marks: bytes, *text: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(harness), *text], input=marks, capture_output=True, check=False)


def test_marks_come_back_sorted_by_address(harness: Path) -> None:
    done = read(harness, b"late c0008000 every words=2\nearly 41000000 first\n")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"mark": "early", "ns": 0x41000000, "instructions": 1},
        {"mark": "late", "ns": 0xC0008000, "instructions": 2, "words": [1, 2]},
        {"console": [5, 6]},
    ]


def test_a_guests_text_is_escaped(harness: Path) -> None:
    nasty = 'a"b\\c\x01\n'
    done = read(harness, b"exec 1000 every text=*2\n", nasty)
    assert json.loads(done.stdout.splitlines()[0])["text"] == nasty


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"name\n", b"wants NAME ADDRESS"),
        (b"name zz first\n", b"not a hexadecimal number"),
        (b"name -1 first\n", b"not a hexadecimal number"),
        (b"name 11112222333344445 first\n", b"not a hexadecimal number"),
        (b"name 10 often\n", b"first, second or every"),
        (b'na"me 10 first\n', b"a name is at most"),
        (b"n" * 64 + b" 10 first\n", b"a name is at most"),
        (b"name 10 first words=9\n", b"words= wants"),
        (b"name 10 first text=*4\n", b"text= wants"),
        (b"name 10 every asleep=4\n", b"asleep= wants"),
        (b"name 10 every awake=\n", b"awake= wants"),
        (b"name 10 first nonsense\n", b"unknown option"),
        (b"name 10 first " + b" " * 300 + b"\n", b"too long"),
    ],
)
def test_a_wrong_line_is_named(harness: Path, line: bytes, why: bytes) -> None:
    done = read(harness, b"good 1 first\n" + line)
    assert done.returncode == 2
    assert done.stderr.startswith(b"line 2: ")
    assert why in done.stderr


def test_random_bytes_do_no_harm(harness: Path, tmp_path: Path) -> None:
    import random

    source = random.Random(7)
    words = [b"name", b"c0008000", b"every", b"first", b"words=", b"text=*", b"\n", b" ", b"\0"]
    for _ in range(60):
        parts = [*source.choices(words, k=40), source.randbytes(8)]
        source.shuffle(parts)
        done = read(harness, b"".join(parts))
        assert done.returncode in (0, 2), done.stderr
