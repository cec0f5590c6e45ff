# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe meter`: the files are read before, during and after a command."""

import json
import subprocess
from pathlib import Path

import pytest

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("meter") / "meter"
    return compile_commands(path, "commands/meter.c")


def read(output: str) -> tuple[int, list[int], list[list[int | None]]]:
    """How often it was switched to, and the readings' times and numbers."""
    *readings, meter = [json.loads(line) for line in output.splitlines() if line[0] == "{"]
    assert meter["row"] == "meter" and {row["row"] for row in readings} == {"reading"}
    return meter["switches"], [row["ns"] for row in readings], [row["numbers"] for row in readings]


def test_the_files_are_read_before_during_and_after(probe: str, tmp_path: Path) -> None:
    energy, power = tmp_path / "energy", tmp_path / "power"
    energy.write_text("999\n")
    power.write_text("-5\n")
    script = f"echo said; printf '1234\\n' > {energy}; sleep 0.2; echo nothing > {power}; exit 7"
    words = [probe, "meter", "20", str(energy), str(power), "--", "sh", "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 7 and done.stdout.startswith("said\n{")
    switches, times, rows = read(done.stdout)
    assert rows[0] == [999, -5] and rows[-1] == [1234, None]
    assert 3 <= len(rows) <= 13 and switches >= len(rows) - 2
    assert times == sorted(times) and times[-1] - times[0] >= 200_000_000


def test_a_long_period_costs_no_reading(probe: str, tmp_path: Path) -> None:
    (tmp_path / "energy").write_text("1")
    words = [probe, "meter", "60000", str(tmp_path / "energy"), "--", "sleep", "0.1"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    switches, _, rows = read(done.stdout)
    assert len(rows) == 2 and switches <= 3


def test_a_command_that_is_not_there(probe: str, tmp_path: Path) -> None:
    (tmp_path / "energy").write_text("1")
    words = [probe, "meter", "10", str(tmp_path / "energy"), "--", "/nowhere"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 127 and "/nowhere" in done.stderr


@pytest.mark.parametrize(
    "words",
    [[], ["10"], ["0", "F", "--", "true"], ["x", "F", "--", "true"], ["10", "--", "true"],
     ["10", "F", "--"], ["10", "F", "true"], ["10", "/nowhere", "--", "true"],
     ["600001", "F", "--", "true"], ["10", *["F"] * 33, "--", "true"]],
)  # fmt: skip
def test_wrong_words_are_told(probe: str, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "F").write_text("1")
    done = subprocess.run([probe, "meter", *words], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 2 and done.stderr and not done.stdout
