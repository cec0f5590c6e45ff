# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe lines`, with sanitizers, through a program that passes lines on or does not."""

import os
import subprocess
from pathlib import Path

import pytest

from perfboard.measures.network.broker import LinesRow
from perfboard.model.rows import RefusedRow, read_row

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("lines") / "lines"
    sources = ("commands/network/lines.c", "commands/pace.c")
    return compile_commands(path, *sources, "-DPATIENCE_MS=1000")


def passed(probe: str, folder: Path, program: str, count: int, window: int) -> str:
    """What it prints of lines that the shell's program passes on."""
    to, goes = folder / "to", folder / "from"
    os.mkfifo(to)
    os.mkfifo(goes)
    with subprocess.Popen(["sh", "-c", f"exec < {to} > {goes}; {program}"]) as between:
        words = [probe, "lines", str(to), str(goes), str(count), str(window)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        between.kill()
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(("count", "window"), [(1, 1), (300, 1), (3000, 100), (50, 1000)])
def test_each_line_is_timed(probe: str, tmp_path: Path, count: int, window: int) -> None:
    row = read_row(passed(probe, tmp_path, "exec cat", count, window), LinesRow)
    assert row and row.count == count
    assert 0 < row.middle_ns <= row.late_ns <= row.longest_ns <= row.took_us * 1000 + 1000


def test_the_first_lines_may_be_lost(probe: str, tmp_path: Path) -> None:
    row = read_row(passed(probe, tmp_path, "read line; exec cat", 20, 1), LinesRow)
    assert row and row.count == 20


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("exec sleep 60", "a line did not come"),
        ("head -n 4 | stdbuf -o 0 cat; exec sleep 60", "a line did not come"),
        ("sed -u 's/.*/000000000000001/'", "Bad message"),
        ("sed -u 's/.*/nothing that is one/'", "Bad message"),
        ("true", "Broken pipe"),
    ],
)
def test_what_does_not_come_is_refused(probe: str, tmp_path: Path, program: str, why: str) -> None:
    row = read_row(passed(probe, tmp_path, program, 20, 1), RefusedRow)
    assert row and row.why == why


@pytest.mark.parametrize("words", ["", "a b 1", "a b 0 1", "a b 1 0", "a b 1 1001", "a b x 1"])
def test_wrong_words_are_refused(probe: str, words: str) -> None:
    assert subprocess.run([probe, "lines", *words.split()], check=False).returncode == 2
