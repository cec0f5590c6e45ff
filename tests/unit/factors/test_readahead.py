# SPDX-License-Identifier: Apache-2.0
"""What reads ahead: who may, and the script that does."""

import os
import subprocess
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.images.recipe import Recipe
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import CONSOLE, NULL, REFERENCE, contents_of, nodes_of
from perfboard.model.errors import UsageError
from tests.support.roots import make_root
from tests.support.variants import variant_of

VERDEX = load_board("verdex").board
AHEAD = RootRecipe(readahead="boot")
RCS = "etc/init.d/rcS"


@pytest.mark.parametrize("board", ["settop-web", "settop-media", "converter", "bifferboard"])
def test_a_board_with_a_disk_has_it_with_the_same_kernel(board: str) -> None:
    made = variant_of(board, readahead="boot").recipe
    assert made == Recipe(load_board(board).board, root=AHEAD)


@pytest.mark.parametrize("other", [{}, {"init": "application"}, {"root": "initramfs"}])
def test_a_board_with_flash_is_told_why_not(other: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="readahead=boot: board verdex has its root in flash"):
        variant_of(readahead="boot", **other)


def test_the_root_has_the_list_and_the_advice_tells_it(tmp_path: Path) -> None:
    tree = make_root(tmp_path, AHEAD)
    (line,) = contents_of(AHEAD)["/etc/readahead"]
    assert (tree / "etc/readahead").read_text() == f"{line}\n"
    assert line.split() == [f"/{path}" for path in AHEAD.first_used]
    script = (tree / RCS).read_text()
    assert contents_of(AHEAD)[f"/{RCS}"] == tuple(script.splitlines())
    # Without it a shell starts nothing in the background.
    assert nodes_of(AHEAD) == (CONSOLE, NULL) and nodes_of(RootRecipe()) == (CONSOLE,)
    assert "/etc/readahead" not in contents_of(RootRecipe())


def test_the_scripts_go_on_meanwhile(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "etc/init.d").mkdir(parents=True)
    # What is read ends when the script has run, which no one starts who waits for the reading.
    os.mkfifo(root / "file")
    (root / "etc/readahead").write_text(f"{root}/fil*\n")
    script = root / "etc/init.d/S10first"
    script.write_text(f"#!/bin/sh\necho read >{root}/file\necho ran\n")
    script.chmod(0o755)
    rcs = (REFERENCE / "readahead" / RCS).read_text().replace("/etc/", f"{root}/etc/")
    # The time-out ends what is read, too, where the two would wait for each other.
    command = ["timeout", "10", "sh", "-c", rcs]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("ran\n", "", 0)


def test_the_scripts_are_run_as_without_it() -> None:
    plain, ahead = ((folder / RCS).read_text() for folder in (REFERENCE, REFERENCE / "readahead"))
    assert ahead.endswith(plain[plain.index("for script") :])
