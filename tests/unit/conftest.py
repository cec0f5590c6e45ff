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

settings.register_profile("unit", settings.get_profile("perfboard"), max_examples=50)
settings.load_profile("unit")


@pytest.fixture(scope="session", autouse=True)
def _no_wait_for_the_disk() -> Iterator[None]:
    """No test takes the power away; what it synchronizes is to be an open file nevertheless."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


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
