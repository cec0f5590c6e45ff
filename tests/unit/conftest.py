# SPDX-License-Identifier: Apache-2.0
"""Half of Hypothesis's usual examples, since these run every day; and a package of files."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import perfboard.images.root.tree as tree_module
from perfboard.boards.loader import load_board
from perfboard.model.board.architecture import architecture_of

# Found by this process's children before the real one.
COMPILER = Path(__file__).parents[1] / "support" / "compiler"

settings.register_profile("unit", settings.get_profile("perfboard"), max_examples=50)
settings.load_profile("unit")


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
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with all that a tree of verdex takes from others; nothing is compiled."""
    arch = architecture_of(load_board("verdex").board)
    libraries = tmp_path / "package/lib" / arch.multiarch
    libraries.mkdir(parents=True)
    for name in (arch.loader, *tree_module._LIBRARIES):
        (libraries / name).touch()
    (tmp_path / "package/bin").mkdir()
    (tmp_path / "package/bin/busybox").touch()
    monkeypatch.setattr(
        tree_module, "_compile", lambda compiler, arch, program, root: program.touch()
    )
    return tmp_path / "package"
