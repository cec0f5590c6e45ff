# SPDX-License-Identifier: Apache-2.0
"""A film that comes over the network, to a board that is reached by ssh."""

import subprocess
from pathlib import Path

import pytest

from ..conftest import Here
from ..targets.ssh_boards import sshd


def test_a_film_goes_from_here_to_a_board(here: Here, probe: Path) -> None:
    if subprocess.run([probe, "disk-place", here.place], capture_output=True).returncode:
        pytest.skip("the tests' folder is on no disk; give one with --basetemp")
    with sshd(here):
        words = ("--target", "ssh://board", "--with", "seconds=1", "--with", "fps=10")
        run = here.json("measure", "media.network", *words)
    times = {
        metric["labels"]["stream"]: metric["samples"]
        for metric in run["metrics"]
        if metric["name"] == "media.network.frame"
    }
    # Five times ten frames of each, whole.
    assert {stream: len(samples) for stream, samples in times.items()} == {
        "play": 50,
        "record": 50,
    }
    assert here.left_clean()
