# SPDX-License-Identifier: Apache-2.0
"""Whole programs of a board's file, run on the board to verify it."""

import json
import subprocess
import tomllib
from pathlib import Path

import tomli_w

from perfboard.model.errors import EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE
from tests.support.rich_boards import rich_board

from ..conftest import Perfboard

ROWS = """\
[[timing.published]]
metric = "program.printed"
value = 3
unit = "B/s"
use = "held-out"
source = "what is printed"
kind = "assumed"
[timing.published.program]
push = ["words.txt"]
command = ["sed", "s/^/figure: /", "words.txt"]
figure = { line = "figure:", word = 2, scale = 1000 }

[[timing.published]]
metric = "program.random"
value = 0.1
unit = "s"
use = "development"
source = "a board has its random numbers long before a program is run"
kind = "assumed"
[timing.published.program]
command = ["head", "-c", "16", "/dev/random"]

[[timing.published]]
metric = "program.wrong"
value = 1
unit = "s"
use = "held-out"
source = "it cannot be run"
kind = "assumed"
[timing.published.program]
command = ["false"]
"""


def test_programs_of_a_boards_file_are_run(tmp_path: Path, trials: None) -> None:
    board = Perfboard(tmp_path / "data")
    table = tomllib.loads(Path(rich_board("rpi2")).read_text())
    del table["timing"]["published"]
    own = tmp_path / "own.toml"
    own.write_text(tomli_w.dumps(table) + ROWS)
    (tmp_path / "words.txt").write_text("0.003 and more\n")
    process = subprocess.run(
        [*board.words, "boards", "verify", str(own), "--json", "--time", "1"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    # In a second the probes do not see the part's parameters as they are: that may count more.
    assert process.returncode in (EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE), process.stderr
    found = json.loads(process.stdout)
    printed, random, wrong = found["rows"]
    assert (printed["ratio"], printed["within"]) == (1, True)
    assert random["virtual"] < 0.1
    assert (wrong["virtual"], wrong["problem"]) == (None, "it ended with exit code 1")
    assert found["accuracy"]["rows"] == 1
