# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe time`: the probe times a command as often as it is asked to."""

import subprocess
from pathlib import Path

import pytest

from perfboard.measures.reading import times_of

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("time") / "time"
    return compile_commands(path, "commands/time.c")


def test_each_run_is_a_line(probe: str, tmp_path: Path) -> None:
    file = str(tmp_path / "times")
    command = [probe, "time", file, "label", "3", "sh", "-c", "sleep 0.05; exit 7"]
    assert subprocess.run(command).returncode == 7
    ((label, runs),) = times_of(Path(file).read_text()).items()
    assert label == "label" and len(runs) == 3
    for run in runs:
        assert run.real_s > 0.05 and run.busy_s < run.real_s
        assert run.status == 7 and run.resident_bytes > 0


def test_a_killed_command_has_its_signals_status(probe: str, tmp_path: Path) -> None:
    file = str(tmp_path / "times")
    done = subprocess.run([probe, "time", file, "label", "1", "sh", "-c", "kill -9 $$"])
    ((run,),) = times_of(Path(file).read_text()).values()
    assert done.returncode == run.status == 137


@pytest.mark.parametrize(
    "words", [[], ["f"], ["f", "l", "0", "true"], ["f", "l", "x", "true"], ["f", "l", "1"]]
)
def test_wrong_words_are_told(probe: str, tmp_path: Path, words: list[str]) -> None:
    done = subprocess.run([probe, "time", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr and not (tmp_path / "f").exists()


def test_a_command_that_is_not_there_ends_at_once(probe: str, tmp_path: Path) -> None:
    words = [probe, "time", str(tmp_path / "f"), "label", "5", "/no/such/program"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 127 and "/no/such/program" in done.stderr
    assert len((tmp_path / "f").read_text().splitlines()) == 1
