# SPDX-License-Identifier: Apache-2.0
"""A timed boot is the same whenever a thread of the emulator stops its processor."""

import subprocess
from pathlib import Path
from threading import Event

import pytest

from perfboard.bench.boot.virtual import marks_to_watch
from perfboard.binaries.scope import build_plugin
from perfboard.boards.loader import LoadedBoard
from perfboard.images.image import Image
from perfboard.model.progress import SilentProgress
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.variants import variant_of


@pytest.fixture(scope="module")
def kicks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin, see its source."""
    plugin = tmp_path_factory.mktemp("kicks") / "kicks.so"
    source = Path(__file__).with_name("kicks.c")
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread")
    subprocess.run(["gcc", *flags, "-o", plugin, source], check=True)
    return plugin


def marks_of(verdex: LoadedBoard, image: Image, folder: Path, *more: str) -> list[str]:
    """The lines of the scope's record with a mark or with times of the console, until usable."""
    folder.mkdir()
    plan = verdex.board.boot.model_copy(update={"usable": "console:^system usable"})
    board = verdex.board.model_copy(update={"boot": plan})
    target = VirtualTarget(variant_of(board, detail="timed"), image)
    scope = target.scope(build_plugin(SilentProgress()), marks_to_watch(board, image))
    with target.running([*target.command(), *more], [scope], folder) as watch:
        watch.until_usable(lambda name: None, Event())
        watch.end()
    lines = (folder / "scope.jsonl").read_text().splitlines()
    return [line for line in lines if line.startswith(('{"mark"', '{"console"'))]


def test_a_timed_boot_is_the_same_however_often_the_processor_is_stopped(
    verdex: LoadedBoard, image: Image, kicks: Path, tmp_path: Path
) -> None:
    alone = marks_of(verdex, image, tmp_path / "alone")
    kicked = marks_of(verdex, image, tmp_path / "kicked", "-plugin", str(kicks))
    # The emulator is ended some time after the board is usable.
    both = min(len(alone), len(kicked)) - 1
    assert any('"exec"' in line for line in alone[:both]) and both > 100
    assert kicked[:both] == alone[:both]
