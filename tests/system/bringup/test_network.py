# SPDX-License-Identifier: Apache-2.0
"""A network row of the bring-up, on a board that is reached by ssh."""

from ..conftest import Here, sample
from ..targets.ssh_boards import sshd


def test_http_is_measured_between_here_and_a_board(here: Here) -> None:
    rows = ("--only", "network.http", "--quick")
    with sshd(here):
        run = here.json("study", "bringup", "--target", "ssh://board", *rows)
    result = next(each for each in run["results"] if each["kind"] == "bringup")
    assert all(not row["reason"] and row["figures"] for row in result["rows"])
    assert sample(run, "network.http.bandwidth") > 1e6
    assert here.left_clean()
