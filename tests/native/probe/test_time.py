# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe time`: the probe times a command as often as it is asked to."""

import subprocess
from pathlib import Path

import pytest

from .compiler import HERE, compile_sources


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("time") / "time"
    needed = (f"measure/{name}.c" for name in ("child", "clock", "number", "reason"))
    return str(compile_sources(path, HERE / "time_harness.c", "run/time.c", *needed))


def test_each_run_is_a_line(probe: str, tmp_path: Path) -> None:
    file = str(tmp_path / "times")
    command = [probe, file, "3", "sh", "-c", "sleep 0.05; exit 7"]
    assert subprocess.run(command).returncode == 7
    rows = [[int(word) for word in line.split()] for line in Path(file).read_text().splitlines()]
    assert len(rows) == 3
    for real_ns, user_us, system_us, resident_kb, status, _ in rows:
        assert real_ns > 50_000_000 and (user_us + system_us) * 1000 < real_ns
        assert status == 7 and resident_kb > 0


def test_a_killed_command_has_its_signals_status(probe: str, tmp_path: Path) -> None:
    file = str(tmp_path / "times")
    done = subprocess.run([probe, file, "1", "sh", "-c", "kill -9 $$"])
    assert done.returncode == 137 and Path(file).read_text().split()[4] == "137"


@pytest.mark.parametrize("words", [[], ["f"], ["f", "0", "true"], ["f", "x", "true"], ["f", "1"]])
def test_wrong_words_are_told(probe: str, tmp_path: Path, words: list[str]) -> None:
    done = subprocess.run([probe, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr and not (tmp_path / "f").exists()


def test_a_command_that_is_not_there_ends_at_once(probe: str, tmp_path: Path) -> None:
    words = [probe, str(tmp_path / "f"), "5", "/no/such/program"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 127 and "/no/such/program" in done.stderr
    assert len((tmp_path / "f").read_text().splitlines()) == 1
