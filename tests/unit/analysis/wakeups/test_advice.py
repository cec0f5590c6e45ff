# SPDX-License-Identifier: Apache-2.0
"""The level that is advised, by what the levels saved and missed."""

from perfboard.analysis.wakeups.advice import advise
from perfboard.model.results.wakeups import Playback

PERIOD_NS = 5_804_988


def played(level: int, switches: int, missed: int = 0, load: str = "idle") -> Playback:
    return Playback(
        way="slack",
        level=str(level),
        load=load,
        elapsed_s=1.0,
        switches=switches,
        wakes=100,
        missed=missed,
        needed_ns=70_000,
    )


def test_a_level_that_saves_no_switches_is_not_advised() -> None:
    """As over ssh, whose own switches are more than the writer's: +40.5 %."""
    way, level, because = advise([played(0, 200), played(3, 281)], 8, PERIOD_NS)
    assert (way, level) == ("slack", "0")
    assert "trigger 3 has no fewer context switches than trigger 0 (+40.5% when idle)" in because


def test_a_level_above_one_that_missed_is_not_advised() -> None:
    """What misses with the widest slack misses by something else: no level is safe."""
    playbacks = [played(0, 200), played(0, 300, 26, "copy"), played(3, 100)]
    way, level, because = advise(playbacks, 8, PERIOD_NS)
    assert (way, level) == ("", "")
    assert "trigger 0 missed 26 deadlines, though it leaves the most time" in because


def test_without_level_0_nothing_tells_what_a_level_saves() -> None:
    assert advise([played(3, 100)], 8, PERIOD_NS)[:2] == ("slack", "3")
