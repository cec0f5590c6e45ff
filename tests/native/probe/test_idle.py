# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe idle`: what the system counted while it slept."""

import subprocess
from pathlib import Path

import pytest

from perfboard.measures.wakeups.idle import InterruptsRow, SleptRow
from perfboard.model.rows import read_rows

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("idle") / "idle"
    return compile_commands(path, "commands/idle.c", "commands/pace.c")


def test_each_sleep_is_as_long_as_asked_and_has_its_causes(probe: str) -> None:
    done = subprocess.run([probe, "idle", "300", "2"], capture_output=True, text=True, check=True)
    rows = read_rows(done.stdout, InterruptsRow, SleptRow)
    slept = [row for row in rows if isinstance(row, SleptRow)]
    assert len(slept) == 2 and isinstance(rows[-1], SleptRow)
    # It itself was switched to and from.
    assert all(row.ns >= 300_000_000 and row.switches >= 2 for row in slept)
    lines = Path("/proc/interrupts").read_text().splitlines()
    causes = {line.split(":")[0].strip() for line in lines}
    found = {row.label for row in rows if isinstance(row, InterruptsRow)}
    assert found <= causes and bool(found) == slept[0].counted


@pytest.mark.parametrize("words", ["", "1", "0 1", "1 0", "x 1", "1 101", "3600001 1", "1 1 1"])
def test_wrong_words_are_told(probe: str, words: str) -> None:
    done = subprocess.run([probe, "idle", *words.split()], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
