# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe meter`: the files are read before, during and after a command."""

import subprocess
from pathlib import Path

import pytest

from .compiler import HERE, compile_sources


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("meter") / "meter"
    needed = (f"measure/{name}.c" for name in ("child", "number", "reason"))
    return str(compile_sources(path, HERE / "meter_harness.c", "run/meter.c", *needed))


def read(output: str) -> tuple[int, list[list[str]]]:
    lines = output.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("@meter "))
    assert lines[-1] == "@metered"
    return int(lines[begin].split()[1]), [line.split() for line in lines[begin + 1 : -1]]


def test_the_files_are_read_before_during_and_after(probe: str, tmp_path: Path) -> None:
    energy, power = tmp_path / "energy", tmp_path / "power"
    energy.write_text("999\n")
    power.write_text("-5\n")
    script = f"echo said; printf '1234\\n' > {energy}; sleep 0.2; echo nothing > {power}; exit 7"
    words = [probe, "20", str(energy), str(power), "--", "sh", "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 7 and done.stdout.startswith("said\n@meter ")
    switches, rows = read(done.stdout)
    assert rows[0][1:] == ["999", "-5"] and rows[-1][1:] == ["1234", "-"]
    assert 3 <= len(rows) <= 13 and switches >= len(rows) - 2
    times = [int(row[0]) for row in rows]
    assert times == sorted(times) and times[-1] - times[0] >= 200_000_000


def test_a_long_period_costs_no_reading(probe: str, tmp_path: Path) -> None:
    (tmp_path / "energy").write_text("1")
    words = [probe, "60000", str(tmp_path / "energy"), "--", "sleep", "0.1"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    switches, rows = read(done.stdout)
    assert len(rows) == 2 and switches <= 3


def test_a_command_that_is_not_there(probe: str, tmp_path: Path) -> None:
    (tmp_path / "energy").write_text("1")
    words = [probe, "10", str(tmp_path / "energy"), "--", "/nowhere"]
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
    done = subprocess.run([probe, *words], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 2 and done.stderr and not done.stdout
