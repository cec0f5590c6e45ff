# SPDX-License-Identifier: Apache-2.0
"""Device profiles on this machine and on a virtual board."""

from pathlib import Path

import pytest

from perfboard.profiles.loader import new_profile
from tests.support.runs import result_of

from ..conftest import Perfboard, build_for_trials

PICTURE = """
schema = "perfboard.profile/1"
[profile]
name = "box"
device = "A box of pictures"
for = "a test"
[[key_issue]]
name = "picture"
question = "Is a picture scaled at once?"
workload = "image.scale"
metric = "image.scale.time"
parameters = { width = 64, height = 64 }
budget = "<= 2 s"
[[key_issue]]
name = "sooner"
question = "Is it scaled before one can see it?"
workload = "image.scale"
metric = "image.scale.time"
parameters = { width = 64, height = 64 }
budget = "<= 1 us"
weight = "should"
"""


@pytest.fixture
def board(tmp_path: Path) -> Perfboard:
    return Perfboard(tmp_path / "data")


def test_a_new_profile_is_asked_of_this_machine(
    board: Perfboard, tmp_path: Path, probe: Path
) -> None:
    path = new_profile(tmp_path, "box")
    run = board.json("study", "profile", str(path))
    result = result_of(run, "profile")
    assert result["outcome"] == "pass"
    assert [row["name"] for row in result["rows"]] == ["search", "evening"]
    # 24 hits and the others were found, or there would be no figure.
    assert all(len(m["samples"]) == 5 for m in run["metrics"])
    assert run["evidence"] == "host"


def test_two_boards_are_held_against_each_other_with_figures_that_repeat(
    board: Perfboard, tmp_path: Path
) -> None:
    build_for_trials("rpi2")
    path = tmp_path / "box.toml"
    path.write_text(PICTURE)
    boards = ("--board", "rpi2", "--board", "orangepi-pc", "--price", "orangepi-pc=15")
    runs = board.json("study", "profile", str(path), *boards)
    results = [result_of(run, "profile") for run in runs]
    for result in results:
        assert [row["outcome"] for row in result["rows"]] == ["pass", "fail"]
    assert [run["board"]["name"] for run in runs] == ["rpi2", "orangepi-pc"]
    assert [result["price"] for result in results] == [None, 15]
    first, second = ([row["value"] for row in result["rows"]] for result in results)
    assert first != second
    again = board.json("study", "profile", str(path), "--board", "rpi2")
    assert again["metrics"] == runs[0]["metrics"]
    assert result_of(again, "profile")["rows"] == results[0]["rows"]
    # What a run measured is taken over, and no board is booted.
    taken = board.json("study", "profile", str(path), "--board", "rpi2", "--resume")
    assert taken["metrics"] == again["metrics"]
    assert any(again["id"] in note for note in taken["provenance"]["notes"])
    assert not taken["artifacts"]
