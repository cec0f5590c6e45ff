# SPDX-License-Identifier: Apache-2.0
"""Percentiles of wakes are those that the wakes carry, and a load that cannot be is said."""

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.model.profile import Value
from perfboard.model.rows import row_line
from tests.support.measures import LIVE, job_of, read


def woke(load: str, count: int) -> str:
    return row_line("woke", load=load, late_ns=[1000 * (at + 1) for at in range(count)])


@pytest.mark.parametrize(
    ("wakes", "shares"),
    [
        (19, []),
        (20, ["50 %"]),
        (999, ["50 %"]),
        (1000, ["50 %", "99 %"]),
        (10_000, ["50 %", "99 %", "99.9 %"]),
    ],
)
def test_a_percentile_has_ten_wakes_beyond_it(wakes: int, shares: list[str]) -> None:
    found = read("latency.wake", woke("idle", wakes), LIVE, loads="idle", wakes=wakes)
    times, *late = found.metrics
    assert len(times.samples) == wakes
    assert [each.labels["of"] for each in late] == [*shares, "the longest"]
    assert late[-1].samples == (wakes / 1e6,)
    if wakes == 1000:
        assert late[1].samples == (990e-6,)


def test_a_load_that_cannot_be_is_a_note_and_the_others_are_measured() -> None:
    why = "the board has no disk"
    output = woke("idle", 20) + row_line("refused", what="place", why=why)
    found = read("latency.wake", output, LIVE, loads="idle disk", wakes=20)
    assert {each.labels["load"] for each in found.metrics} == {"idle"}
    assert found.notes == (f"latency.wake under disk: not measured: {why}.",)
    with pytest.raises(NotMeasurable, match="SCHED_FIFO"):
        output = row_line("refused", what="idle", why="SCHED_FIFO: not permitted")
        read("latency.wake", output, LIVE, loads="idle")


def test_wakes_that_are_missing_are_refused() -> None:
    with pytest.raises(NotMeasurable, match="19 of 20 wakes under idle"):
        read("latency.wake", woke("idle", 19), LIVE, loads="idle", wakes=20)


@pytest.mark.parametrize(
    "parameters",
    [{"loads": ""}, {"loads": "idle music"}, {"wakes": 100_001}, {"period": 99}],
)
def test_a_parameter_out_of_range_is_refused(parameters: dict[str, Value]) -> None:
    with pytest.raises(NotMeasurable):
        job_of("latency.wake", parameters, EXACT)


def test_the_disk_comes_last_as_a_board_without_one_ends_the_script_there() -> None:
    lines = job_of("latency.wake", {"loads": "disk idle fork"}, EXACT).script.splitlines()
    asked = [line.split()[2] for line in lines if " wake " in line]
    assert asked == ["idle", "fork", "disk"] and '"$source"' not in lines[0]
    assert job_of("latency.wake", {"loads": "idle"}, LIVE).writes == 0
    assert job_of("latency.wake", {}, LIVE).writes == 5 * 400 * 65_536
