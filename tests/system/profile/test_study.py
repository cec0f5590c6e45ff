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


def test_a_board_gives_the_same_verdicts_with_the_same_figures(
    board: Perfboard, tmp_path: Path
) -> None:
    build_for_trials("rpi2")
    path = tmp_path / "box.toml"
    path.write_text(PICTURE)
    runs = [board.json("study", "profile", str(path), "--board", "rpi2") for _ in range(2)]
    results = [result_of(run, "profile") for run in runs]
    assert [row["outcome"] for row in results[0]["rows"]] == ["pass", "fail"]
    assert results[0] == results[1]
    assert runs[0]["metrics"] == runs[1]["metrics"]
