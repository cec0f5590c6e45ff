# SPDX-License-Identifier: Apache-2.0
"""Programs of ours that do what published ones do, compiled for this machine."""

import re
import subprocess
from pathlib import Path

import pytest

from .sanitized import ROOT, compile_sanitized

PROGRAMS = ROOT / "native" / "programs"


def compiled(name: str, folder: Path) -> Path:
    return compile_sanitized(folder / name, PROGRAMS, "-D_GNU_SOURCE", f"{name}.c", "-lm")


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("kernel_loops", tmp_path_factory.mktemp("loops"))


@pytest.mark.parametrize("loop", ["syscall", "pipe", "context1", "spawn", "execl"])
def test_a_loop_says_how_often_it_went_round(loops: Path, loop: str) -> None:
    said = subprocess.run([loops, loop, "0.05"], capture_output=True, text=True, check=True).stdout
    match = re.fullmatch(rf"{loop}: ([0-9.]+) loops a second\n", said)
    assert match and float(match[1]) > 1


@pytest.mark.parametrize("words", [[], ["syscall"], ["syscall", "0"], ["dance", "1"]])
def test_what_is_no_loop_is_refused(loops: Path, words: list[str]) -> None:
    done = subprocess.run([loops, *words], capture_output=True, text=True)
    assert done.returncode == 2 and "kernel_loops" in done.stderr


def test_the_loops_of_stream_check_their_sums(tmp_path: Path) -> None:
    stream = compiled("stream", tmp_path)
    said = subprocess.run([stream, "1000", "3"], capture_output=True, text=True, check=True).stdout
    rates = dict(line.split(": ") for line in said.splitlines())
    assert list(rates) == ["copy", "scale", "add", "triad"]
    assert all(float(rate.removesuffix(" MB/s")) > 0 for rate in rates.values())
    assert subprocess.run([stream, "0", "3"], capture_output=True).returncode == 2
