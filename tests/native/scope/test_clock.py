# SPDX-License-Identifier: Apache-2.0
"""Whether the scope tells an emulator whose clock it can set from one it cannot; the setting."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

HERE = Path(__file__).parent
Build = Callable[[int], Path]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Makes the harness, with the structure that its source describes."""
    folder = tmp_path_factory.mktemp("clock")

    def compile_once(layout: int) -> Path:
        program = folder / f"harness-{layout}"
        if not program.exists():
            compile_sanitized(
                program,
                SCOPE,
                *("-rdynamic", f"-DLAYOUT={layout}"),
                HERE / "clock_harness.c",
                *("emulator/clock.c", "emulator/emulator.c", "emulator/symbols.c"),
            )
        return program

    return compile_once


def said(program: Path, what: str = "nothing") -> list[str]:
    done = subprocess.run([program, what], capture_output=True, check=True, text=True)
    return done.stdout.splitlines()


def test_a_clock_that_is_as_known_is_set(build: Build) -> None:
    assert said(build(1)) == [
        *("fits", "bias 77, lock 0", "4 ns an instruction"),
        *("due in 1", "due in -2"),
        str(4 * (1000 - 10) + 77 + 502),
        *("stopped", "left at 7"),
    ]


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("adaptive", "it does not count instructions with a fixed shift (-icount shift=0)"),
        ("shift", "its shift lies elsewhere"),
        ("count", "its count of instructions lies elsewhere"),
        ("bias", "its bias lies elsewhere"),
        ("deaf", "it does not follow its bias"),
    ],
)
def test_a_clock_that_is_not_is_refused_and_left_as_it_was(
    build: Build, what: str, why: str
) -> None:
    assert said(build(1), what) == [why, "bias 77, lock 0"]


@pytest.mark.parametrize("layout", [0, 2])
def test_an_emulator_without_the_structure_or_with_another_is_refused(
    build: Build, layout: int
) -> None:
    assert said(build(layout)) == ["does not have timers_state"]
