# SPDX-License-Identifier: Apache-2.0
"""The harness of the toolkits' programs, with a toolkit that does only what it is asked."""

import os
import subprocess
from pathlib import Path

import pytest

from perfboard.measures.display.toolkit_rounds import STEPS, ToolkitRounds, read_rounds

from ..sanitized import ROOT, compile_sanitized

FAKE = Path(__file__).parent / "fake.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("toolkits") / "program"
    # A step may take a second here.
    flags = ("-D_GNU_SOURCE", "-DSTEP_S=1", "-I..", "../rows/row.c")
    compile_sanitized(path, ROOT / "native" / "toolkits", *flags, "main.c", FAKE)
    return path


def rounds(program: Path, folder: Path, count: int, fault: str = "") -> tuple[ToolkitRounds, int]:
    done = subprocess.run(
        [program, "rounds", str(count), folder / "lines"],
        env={**os.environ, "FAKE": fault},
        capture_output=True,
        timeout=60,
        check=False,
    )
    return read_rounds((folder / "lines").read_text()), done.returncode


def test_the_first_round_is_told_from_the_rest(program: Path, tmp_path: Path) -> None:
    for runs in (1, 2):
        found, status = rounds(program, tmp_path, 3)
        assert status == 0 and found.refused == []
        for step in STEPS:
            assert (len(found.first[step]), len(found.rest[step])) == (runs, 2 * runs)
            assert all(0 < time < 1 for time in (*found.first[step], *found.rest[step]))


@pytest.mark.parametrize(
    ("fault", "why", "steps"),
    [
        ("broken", "screen: its rows cannot be made", 1),
        ("deaf", "input: it has not ended in time", 4),
    ],
)
def test_a_step_that_fails_is_refused_with_its_reason(
    program: Path, tmp_path: Path, fault: str, why: str, steps: int
) -> None:
    found, status = rounds(program, tmp_path, 2, fault)
    assert status == 1 and found.refused == [why]
    assert [len(found.first[step]) for step in STEPS] == [1] * steps + [0] * (len(STEPS) - steps)


def test_a_toolkit_that_is_never_idle_comes_to_an_end(program: Path, tmp_path: Path) -> None:
    found, status = rounds(program, tmp_path, 1, "busy")
    assert status == 0 and found.refused == []


@pytest.mark.parametrize("words", [(), ("rounds",), ("rounds", "0", "lines"), ("else",)])
def test_words_that_mean_nothing_are_answered_with_the_usage(
    program: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = subprocess.run(
        [program, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2 and done.stderr.startswith("usage: perfboard-toolkit hello")
    assert not list(tmp_path.iterdir())
