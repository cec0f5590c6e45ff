# SPDX-License-Identifier: Apache-2.0
"""Measures of the devices of today, each once on a virtual board."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.runs import result_of

from ..conftest import Perfboard, build_for_trials, sample


@pytest.fixture
def board(tmp_path: Path) -> Perfboard:
    return Perfboard(tmp_path / "data")


def reasons(run: Any) -> dict[str, str]:
    """The reason why each measure has no figure; "" if it has."""
    rows = result_of(run, "measures")["measurements"]
    return {row["measure"]: row["reason"] for row in rows}


def test_a_board_decodes_idles_wakes_encodes_and_shows_a_picture(board: Perfboard) -> None:
    build_for_trials("rpi2")
    names = ("audio.decode", "idle.wakes", "latency.wake", "media.video", "boot.picture")
    few = ("--with", "wakes=100", "--with", "loads=idle fork", "--with", "frames=3")
    run = board.json("measure", *names, "--board", "rpi2", *few, "--with", "boots=1")
    assert reasons(run) == dict.fromkeys(names, "")
    # An A7 of 900 MHz decodes MP3 as it plays, and a few times that.
    assert 0.01 < sample(run, "audio.decode.share") < 0.5
    # Only the kernel's own timers wake it.
    assert 0 < sample(run, "idle.wakes.interrupts") < 100
    assert sample(run, "idle.wakes.switches") > 0
    late = [m for m in run["metrics"] if m["name"] == "latency.wake.time"]
    assert {m["labels"]["load"]: len(m["samples"]) for m in late} == {"idle": 100, "fork": 100}
    assert sample(run, "latency.wake.late", load="idle", of="50 %") < 1e-3
    assert 1 < sample(run, "media.video.rate") < 1000
    # The application draws, after the kernel has started and before the board is usable.
    assert 0.1 < sample(run, "boot.picture.time") < 10


def test_a_film_comes_from_the_far_end_which_sees_the_first_packet(board: Perfboard) -> None:
    build_for_trials("settop-web", "ext4")
    names = ("media.network", "boot.network")
    run = board.json("measure", *names, "--board", "settop-web", "--with", "seconds=1")
    assert reasons(run) == dict.fromkeys(names, "")
    frames = [m for m in run["metrics"] if m["name"] == "media.network.frame"]
    assert {m["labels"]["stream"]: len(m["samples"]) for m in frames} == {"play": 30, "record": 30}
    assert 0.1 < sample(run, "boot.network.time") < 60
