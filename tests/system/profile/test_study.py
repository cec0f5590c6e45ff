# SPDX-License-Identifier: Apache-2.0
"""Device profiles on this machine and on a virtual board."""

from pathlib import Path

import pytest

from perfboard.profiles.loader import new_profile
from tests.support.rich_boards import rich_board
from tests.support.runs import result_of

from ..conftest import Perfboard, build_for_trials, sample

PICTURE = """
schema = "perfboard.profile/1"
[profile]
name = "box"
device = "A box of pictures"
for = "a test"
[[key_issue]]
name = "picture"
question = "Is a picture scaled at once?"
measure = "image.scale"
metric = "image.scale.time"
parameters = { width = 64, height = 64 }
budget = "<= 2 s"
[[key_issue]]
name = "sooner"
question = "Is it scaled before one can see it?"
measure = "image.scale"
metric = "image.scale.time"
parameters = { width = 64, height = 64 }
budget = "<= 1 us"
weight = "should"
[[key_issue]]
name = "index"
question = "Is a page of pictures made?"
measure = "image.index"
metric = "image.index.time"
parameters = { pictures = 2, width = 640, height = 480 }
budget = "<= 20 s"
"""
SEVERAL = """
[[key_issue]]
name = "several"
question = "Are two films recorded while a third plays?"
measure = "media.both"
metric = "media.both.rate"
labels = { stream = "record" }
parameters = { records = 2, seconds = 1, most = 100 }
budget = ">= 30 1/s"
"""

# A disk that does nothing but move its bytes.
DISK_RATE = 800_000
SLOW_DISK = f"""
schema = "perfboard.board/1"
name = "slow-disk"
title = "settop-media with a disk of a known rate"
like = "{rich_board("settop-media")}"
description = "Its disk has neither seeks nor rotation."
[disk]
size = "16 MiB"
[disk.transfer]
rate = {DISK_RATE}
source = "a rate that a test has set"
kind = "assumed"
"""
# Frames of 7 and of 6 blocks of 4096 bytes: 860,160 and 737,280 B/s.
STREAMS = """
schema = "perfboard.profile/1"
[profile]
name = "recorder"
device = "A recorder"
for = "a test"
[[key_issue]]
name = "beyond"
question = "Is a stream recorded that is faster than the disk?"
measure = "media.record"
metric = "media.record.late"
labels = { stream = "record" }
parameters = { bitrate = 6100000, seconds = 2, write = "direct" }
budget = "<= 99 %"
[[key_issue]]
name = "within"
question = "Is a stream recorded that is slower?"
measure = "media.record"
metric = "media.record.late"
labels = { stream = "record" }
parameters = { bitrate = 5700000, seconds = 2, write = "direct" }
budget = "<= 0 %"
[[key_issue]]
name = "played"
question = "Does a film play that is faster than the disk?"
measure = "media.play"
metric = "media.play.late"
labels = { stream = "play" }
parameters = { bitrate = 7000000, seconds = 2 }
budget = "<= 99 %"
"""


@pytest.fixture
def board(tmp_path: Path) -> Perfboard:
    return Perfboard(tmp_path / "data")


def test_a_new_profile_is_asked_of_this_machine(
    board: Perfboard, tmp_path: Path, probe: Path
) -> None:
    path = new_profile(tmp_path, "box")
    path.write_text(path.read_text() + SEVERAL)
    run = board.json("choose", str(path), "--target", "local")
    result = result_of(run, "profile")
    assert result["outcome"] == "pass"
    assert [row["name"] for row in result["rows"]] == ["search", "several", "evening"]
    # 24 hits and the others were found, or there would be no figure.
    frames = {m["labels"]["stream"]: m for m in run["metrics"] if m["name"] == "media.both.frame"}
    assert [len(frames[way]["samples"]) for way in ("record", "play")] == [5 * 2 * 30, 5 * 30]
    others = [m for m in run["metrics"] if m["name"] != "media.both.frame"]
    assert all(len(m["samples"]) == 5 for m in others)
    assert run["evidence"] == "host"


def test_the_cheaper_of_two_boards_is_chosen_by_figures_that_repeat(
    board: Perfboard, tmp_path: Path
) -> None:
    build_for_trials("rpi2")
    path = tmp_path / "box.toml"
    path.write_text(PICTURE)
    boards = ("--board", "rpi2", "--board", "orangepi-pc")
    prices = ("--price", "orangepi-pc=15", "--price", "rpi2=20")
    found = board.json("choose", str(path), *boards, *prices)
    assert found["right"] == ["orangepi-pc", "rpi2"]
    assert found["answer"].startswith("orangepi-pc, at 15 EUR, is the cheapest board that is right")
    values = {}
    for each in found["boards"]:
        assert [row["outcome"] for row in each["rows"]] == ["pass", "fail", "pass"]
        assert each["probability"] >= 0.9
        values[each["board"]] = [row["value"] for row in each["rows"]]
    assert values["rpi2"] != values["orangepi-pc"]
    # Elsewhere it is measured anew, and is the same.
    first = board.json("show", found["boards"][1]["run"])
    again = Perfboard(tmp_path / "other").json("choose", str(path), "--board", "rpi2")
    assert again["metrics"] == first["metrics"]
    # What a run measured is taken over, and no board is booted.
    taken = board.json("choose", str(path), "--board", "rpi2")
    assert taken["metrics"] == first["metrics"]
    assert any(first["id"] in note for note in taken["provenance"]["notes"])
    assert not taken["artifacts"]
    # The page of the whole lies with the run of the board that was chosen.
    said = board("choose", str(path), *boards, *prices).stdout
    page = Path(said.splitlines()[-1])
    assert page.name == "choice.html" and "orangepi-pc" in page.parent.name
    assert "is the cheapest board that is right" in page.read_text()


def test_a_disk_of_a_known_rate_moves_as_many_frames_and_is_late_beyond_it(
    board: Perfboard, tmp_path: Path
) -> None:
    build_for_trials("settop-media", "ext4")
    slow, path = tmp_path / "slow-disk.toml", tmp_path / "recorder.toml"
    slow.write_text(SLOW_DISK)
    path.write_text(STREAMS)
    run = board.json("choose", str(path), "--board", str(slow), code=1)
    rows = {row["name"]: row["value"] for row in result_of(run, "profile")["rows"]}
    assert rows == {"beyond": 1, "within": 0, "played": 1}
    for name, bitrate, size in (
        ("media.record", "6100000", 7 * 4096),
        ("media.record", "5700000", 6 * 4096),
        ("media.play", "7000000", 29_166),
    ):
        rate = sample(run, f"{name}.rate", bitrate=bitrate)
        assert rate == pytest.approx(DISK_RATE / size, rel=0.05)
