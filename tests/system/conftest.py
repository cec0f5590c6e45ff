# SPDX-License-Identifier: Apache-2.0
"""Real boots. Images come from the user's cache; runs go to a folder of the test's own."""

import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from perfboard.boards.loader import LoadedBoard, load_board
from perfboard.images.image import Image, build_image
from perfboard.model.progress import SilentProgress

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="session")
def verdex() -> LoadedBoard:
    return load_board("verdex")


@pytest.fixture(scope="session")
def image(verdex: LoadedBoard) -> Image:
    """The image of verdex, built when no earlier run has."""
    return build_image(verdex, {}, SilentProgress())


@pytest.fixture
def derive(verdex: LoadedBoard, tmp_path: Path) -> Callable[[Change], Path]:
    """Writes a board file that is verdex's with a change."""

    def write(change: Change) -> Path:
        board = tomllib.loads(verdex.path.read_text())
        config = board["image"]["kernel"]["config"]
        board["image"]["kernel"]["config"] = str(verdex.folder / config)
        change(board)
        path = tmp_path / "board.toml"
        path.write_text(tomli_w.dumps(board))
        return path

    return write


class Perfboard:
    """The command, with run folders of its own."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.environment = {**os.environ, "XDG_DATA_HOME": str(data)}

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "perfboard.cli.main", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            # A suite that runs in the background ignores ^C, and its children would too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def __call__(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        process = self.start(*words)
        out, err = process.communicate(timeout=300)
        assert process.returncode == code, f"exit {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(words, code, out, err)

    def json(self, *words: str, code: int = 0) -> Any:
        return json.loads(self(*words, "--json", code=code).stdout)


@pytest.fixture
def perfboard(tmp_path: Path, image: Image) -> Perfboard:
    """The command; the image is built before, so that a test's time is its own."""
    return Perfboard(tmp_path / "data")
