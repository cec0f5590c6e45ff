# SPDX-License-Identifier: Apache-2.0
"""What a gateway does: on a virtual board with one kernel, and here as far as it can."""

from typing import Any

import pytest

from tests.support.runs import result_of

from ..conftest import Here, Perfboard, build_for_trials, sample

NAMES = ("network.wireguard", "network.tls", "network.broker", "network.forward")
QUICK = ("--with", "quick=true")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All four on a board of one processor, each in a boot of its own, with one kernel."""
    build_for_trials("settop-web", "router")
    perfboard = Perfboard(tmp_path_factory.mktemp("gateway") / "data")
    return perfboard.json("measure", *NAMES, "--board", "settop-web", *QUICK)


def test_each_is_measured_on_a_virtual_board(run: Any) -> None:
    rows = result_of(run, "measures")["measurements"]
    assert [row["reason"] for row in rows] == [""] * len(NAMES)
    assert len([name for name in run["provenance"]["image"] if name.startswith("kernel")]) == 1


def test_what_costs_more_is_slower(run: Any) -> None:
    plain, nat = (sample(run, "network.forward.packets", way=way) for way in ("plain", "nat"))
    assert nat < plain and sample(run, "network.forward.lost", way="nat") == 0
    # A processor that does nothing else is the limit.
    assert sample(run, "network.wireguard.busy") > 0.95
    assert sample(run, "network.broker.time", of="median") > 1 / sample(
        run, "network.broker.messages"
    )
    assert sample(run, "network.tls.handshakes") > 1
    assert sample(run, "network.tls.bandwidth") < sample(run, "network.wireguard.bandwidth") * 100


def test_each_is_measured_here_or_says_why_not(here: Here) -> None:
    process = here.start("measure", *NAMES, *QUICK, "--json")
    run = here.finish(process, 5)
    rows = {row["measure"]: row for row in result_of(run, "measures")["measurements"]}
    assert all(bool(row["figures"]) != bool(row["reason"]) for row in rows.values())
    assert here.left_clean()
