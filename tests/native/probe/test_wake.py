# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe wake` and `under`: each wake has its time, and no load outlives them."""

import subprocess
from pathlib import Path

import psutil
import pytest

from perfboard.measures.wakeups.latency import LOADS, WokeRow
from perfboard.model.rows import RefusedRow, read_rows

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("wake") / "wake"
    sources = ("wake/loads", "wake/under", "wake/wake", "own_files", "pace", "policy")
    return compile_commands(path, *(f"commands/{name}.c" for name in sources), "measure/loopback.c")


def left(probe: str) -> list[int]:
    """The processes of that program that still run."""
    found = (each for each in psutil.process_iter(["exe", "status"]))
    return [each.pid for each in found if each.info["exe"] == probe]


@pytest.mark.parametrize("load", LOADS)
def test_each_wake_has_its_time_and_no_load_is_left(probe: str, tmp_path: Path, load: str) -> None:
    words = [probe, "wake", load, "50", "1000", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    (row,) = read_rows(done.stdout, WokeRow, RefusedRow)
    if isinstance(row, RefusedRow):
        # Whoever may not have a thread of that kind is told so.
        assert row.what == load and "SCHED_FIFO" in row.why
    else:
        assert isinstance(row, WokeRow) and row.load == load
        assert len(row.late_ns) == 50 and max(row.late_ns) > 0
    assert left(probe) == [] and list(tmp_path.iterdir()) == []


def test_a_command_runs_under_a_load(probe: str, tmp_path: Path) -> None:
    words = [probe, "under", "fork", str(tmp_path), "sh", "-c", "ps -eo args; exit 3"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 3 and done.stdout.count("under fork") > 1
    assert left(probe) == []


def test_a_place_that_cannot_be_written_to_is_told(probe: str) -> None:
    words = [probe, "wake", "disk", "5", "1000", "/no/such/place"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    (row,) = read_rows(done.stdout, RefusedRow)
    assert row.what == "disk" and row.why == "/no/such/place: No such file or directory"
    words = [probe, "under", "disk", "/no/such/place", "true"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "No such file" in done.stderr


@pytest.mark.parametrize(
    "words",
    ["wake", "wake idle 0 1 .", "wake idle 1 0 .", "wake idle 1 x .", "wake idle 1 1", "under x ."],
)
def test_wrong_words_are_told(probe: str, words: str) -> None:
    done = subprocess.run([probe, *words.split()], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


def test_a_load_that_is_not_known_is_refused_with_those_that_are(probe: str) -> None:
    words = [probe, "wake", "music", "5", "1000", "."]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    (row,) = read_rows(done.stdout, RefusedRow)
    assert row.why == f"there is no load music: there are {'|'.join(LOADS)}"
