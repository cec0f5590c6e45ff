# SPDX-License-Identifier: Apache-2.0
"""The command and real boots. Images come from the user's cache; runs go to a test's own folder."""

import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
import tomli_w

from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.binaries.probe_build import ARCHITECTURES
from perfboard.boards.loader import LoadedBoard, list_boards, load_board
from perfboard.factors.choose import choose
from perfboard.images.image import Image, build_image
from perfboard.images.program.base import ProgramJob, build_trial_base
from perfboard.model.board.architecture import ARCHITECTURES as FAMILIES
from perfboard.model.progress import SilentProgress
from tests.support.rich_boards import rich_board

Change = Callable[[dict[str, Any]], None]
_Found = TypeVar("_Found")
# Where seconds do not matter, a counted boot takes less of the host's time, and has no verdict.
COUNTED = ("--set", "detail=counted")
# The architectures whose binaries virtual boards and this machine run. Each of the others takes the
# compiler most of a minute, which `make binaries` spends.
RUN = {family.probe for family in FAMILIES} | {architecture_of(platform.machine())}
EACH = [
    pytest.param(arch, marks=() if arch in RUN else pytest.mark.binaries) for arch in ARCHITECTURES
]
# The files that build kernels of their own on a new machine, the longest first.
_LONG = ("images/test_factors", "boards/test_x86", "boards/test_timed", "tune/test_study")
_HERE = Path(__file__).parent
# For what a loaded machine does in a second or two.
_PATIENCE_S = 120
# A board's name comes after one of these.
_BOARD_AFTER = ("--board", "--compare", "--target", "try")
_BOARD = re.compile(rf"((?:virtual:)?)({'|'.join(list_boards())})")
# For a whole command: a tune of verdex also reads its flash for 200 s of the board's.
_LONGEST_S = 900


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is begun last is to be short: the other worker waits for it."""
    places = {_HERE / f"{name}.py": place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: places.get(item.path, len(_LONG)))


@pytest.fixture(scope="session")
def verdex() -> LoadedBoard:
    return load_board(rich_board("verdex"))


@pytest.fixture(scope="session")
def image(verdex: LoadedBoard) -> Image:
    """The image of the tests' verdex, built when no earlier run has."""
    return build_image(choose(verdex, {}), SilentProgress())


def build_for_trials(board: str, features: str = "none") -> None:
    """Builds what programs are tried with: on a new machine, longer than a command may take."""
    variant = choose(load_board(rich_board(board)), {"features": features})
    build_trial_base(variant, ProgramJob(("true",)), SilentProgress())


@pytest.fixture(scope="session")
def probe() -> Path:
    """The probe for this machine: on a new one, compiling it takes as long as a test may wait."""
    return find_binary(architecture_of(platform.machine()), SilentProgress())


@pytest.fixture(scope="session")
def trials() -> None:
    """Programs can be tried on boards that run Debian's armhf."""
    build_for_trials("rpi2")


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


def rich(words: Sequence[str]) -> list[str]:
    """The words of a command with the tests' boards in place of Perfboard's own."""
    found = list(words)
    for number, (before, word) in enumerate(pairwise(words), 1):
        if before in _BOARD_AFTER and (match := _BOARD.fullmatch(word)):
            found[number] = f"{match[1]}{rich_board(match[2])}"
    return found


def _hear_signals() -> None:
    # A suite that runs in the background ignores them, and its children would too.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Perfboard:
    """The command, with run folders of its own. It has the tests' boards by their usual names."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.environment = {**os.environ, "XDG_DATA_HOME": str(data)}
        self.wrapper: list[str] = []
        self.words = [sys.executable, "-m", "perfboard.cli.main"]
        self.boards: Callable[[Sequence[str]], Sequence[str]] = rich

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.wrapper, *self.words, *self.boards(words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            preexec_fn=_hear_signals,
        )

    def __call__(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=_LONGEST_S)
        finally:
            # It ends what it has started.
            process.terminate()
            process.wait(_PATIENCE_S)
        assert process.returncode == code, f"exit {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(words, code, out, err)

    def json(self, *words: str, code: int = 0) -> Any:
        """The document that it prints; what follows "--" is another program's."""
        end = words.index("--") if "--" in words else len(words)
        return json.loads(self(*words[:end], "--json", *words[end:], code=code).stdout)

    def artifact(self, run: Any, name: str) -> Path:
        return self.data / "perfboard" / "runs" / str(run["id"]) / "artifacts" / name

    def finish(self, process: subprocess.Popen[str], code: int) -> Any:
        """The run of a command that was started, once it has ended with `code`."""
        out, err = process.communicate(timeout=_PATIENCE_S)
        assert process.returncode == code, f"exit {process.returncode}\n{out}\n{err}"
        return self.json("show", "latest")


@pytest.fixture
def perfboard(tmp_path: Path, image: Image) -> Perfboard:
    """The command; the image is built before, so that a test's time is its own."""
    return Perfboard(tmp_path / "data")


def sample(run: Any, name: str, **labels: str) -> float:
    """The first sample of the first metric of that name that has these labels."""
    return next(
        float(metric["samples"][0])
        for metric in run["metrics"]
        if metric["name"] == name and labels.items() <= metric["labels"].items()
    )


def compile_program(compiler: str, source: str, program: Path, *options: str) -> Path:
    command = [compiler, *options, "-O2", "-x", "c", "-", "-o", str(program)]
    subprocess.run(command, input=source, text=True, check=True)
    return program


def until(sought: Callable[[], _Found | None]) -> _Found:
    """What `sought` returns once that is something."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        if found := sought():
            return found
        time.sleep(0.002)
    raise AssertionError("waited for in vain")


def running_from(folder: Path) -> list[psutil.Process]:
    """The processes whose program lies in `folder`."""
    found = []
    for pid in psutil.pids():
        # process_iter() would keep the program that a process ran before its exec.
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            if process.exe().startswith(str(folder)):
                found.append(process)
    return found


class Here(Perfboard):
    """The command, whose probes of this machine run in a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "data")
        self.place = folder / "place"
        self.place.mkdir()
        self.environment["TMPDIR"] = str(self.place)

    def running(self, *words: str) -> psutil.Process | None:
        """A process of the probe in that folder whose first argument is one of `words`."""
        for process in running_from(self.place):
            with suppress(psutil.Error):
                if any(word in words for word in process.cmdline()[1:2]):
                    return process
        return None

    def left_clean(self) -> bool:
        """Whether neither a process nor a file of the probe is left."""
        return not running_from(self.place) and not any(self.place.iterdir())


@pytest.fixture
def here(tmp_path: Path, probe: Path) -> Here:
    """The command; the probes of this machine run in a folder of the test's own."""
    return Here(tmp_path)
