# SPDX-License-Identifier: Apache-2.0
"""A network row of the bring-up, on a board that is reached by ssh."""

from tests.support.runs import result_of

from ..conftest import Here, sample
from ..targets.ssh_boards import sshd


def test_http_is_measured_between_here_and_a_board(here: Here) -> None:
    only = ("--only", "network.http", "--quick")
    with sshd(here):
        run = here.json("study", "bringup", "--target", "ssh://board", *only)
    rows = result_of(run, "measures")["measurements"]
    assert all(not row["reason"] and row["figures"] for row in rows)
    assert sample(run, "network.http.bandwidth") > 1e6
    assert here.left_clean()
