# SPDX-License-Identifier: Apache-2.0
"""Half of Hypothesis's usual examples, since these run every day; and a home for each test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from perfboard.host.programs.environment import set_up_environment

# Found by this process's children before the real one.
COMPILER = Path(__file__).parents[1] / "support" / "compiler"

settings.register_profile("unit", settings.get_profile("perfboard"), max_examples=50)
settings.load_profile("unit")
# As the command itself does. A worker of xdist has its variable from the one that started it.
os.environ.pop("OPENBLAS_NUM_THREADS", None)
set_up_environment()


@pytest.fixture(scope="session", autouse=True)
def _no_wait_for_the_disk() -> Iterator[None]:
    """No test takes the power away; what it synchronizes is to be an open file nevertheless."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture(autouse=True)
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a test's own runs (data) and cache; nothing is compiled into it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(COMPILER))
    return tmp_path


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Puts a shell script where it is found before any other program of its name."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def write(name: str, script: str) -> None:
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    return write
