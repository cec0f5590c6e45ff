# SPDX-License-Identifier: Apache-2.0
"""What came between, as the probe sees it, on clocks and in files of ours."""

import json
import os
import platform
import subprocess
from pathlib import Path

import pytest

from .compiler import HERE, compile_sources

_TICKS = os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wrapped = (f"-Wl,--wrap={name}" for name in ("clock_gettime", "getrusage", "open"))
    return compile_sources(
        tmp_path_factory.mktemp("native") / "disturbance",
        *wrapped,
        HERE / "disturbance_harness.c",
        *("measure/child.c", "measure/clock.c", "measure/disturbance.c", "measure/number.c"),
        "measure/reading.c",
    )


class Board:
    """The files that the probe finds, before and after; see disturbance_harness.c."""

    def __init__(self, harness: Path, root: Path) -> None:
        self._harness = harness
        self._root = root

    def say(self, path: str, before: str, after: str) -> None:
        for when, text in (("before", before), ("after", after)):
            file = self._root / when / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def disturbances(
        self, *cpus: int, seconds: float = 1, step: float = 0, slew: float = 0
    ) -> dict[str, float]:
        words = (self._root, seconds, step, slew, *cpus)
        done = subprocess.run([self._harness, *map(str, words)], capture_output=True, check=True)
        return dict(json.loads(done.stdout))


@pytest.fixture
def board(harness: Path, tmp_path: Path) -> Board:
    return Board(harness, tmp_path)


@pytest.mark.parametrize("step", [3600, -3600, 0.01, -0.01])
def test_a_clock_that_is_set_is_seen(board: Board, step: float) -> None:
    found = board.disturbances(seconds=1, step=step)
    assert found["clock_step_s"] == pytest.approx(step, abs=1e-4)


@pytest.mark.parametrize("slew", [400, -400])
@pytest.mark.parametrize("seconds", [0.01, 1, 3600])
def test_a_clock_that_is_slewed_makes_no_step(board: Board, seconds: float, slew: float) -> None:
    assert board.disturbances(seconds=seconds, slew=slew)["clock_step_s"] == 0


def test_a_step_is_seen_of_a_clock_that_is_slewed(board: Board) -> None:
    found = board.disturbances(seconds=100, step=3600, slew=400)
    assert found["clock_step_s"] == pytest.approx(3600.04, rel=1e-5)


def test_children_count_too(board: Board) -> None:
    found = board.disturbances()
    assert (found["involuntary_switches"], found["major_faults"]) == (9, 3)


def test_points_that_did_not_settle_are_counted_but_not_the_frequency(board: Board) -> None:
    assert board.disturbances()["unsettled_points"] == 2
    assert board.disturbances(1)["unsettled_points"] == 2


def _stat(processors: int, stolen: dict[int, int]) -> str:
    """/proc/stat, and what would be mistaken for its rows."""
    rows = [f"cpu  1 2 3 4 5 6 7 {sum(stolen.values())} 0 0"]
    rows += [
        f"cpu{cpu} 4705711 8100 904231 98312349 1209 33421 5531 {stolen.get(cpu, 0)} 0 0"
        for cpu in range(processors)
    ]
    rows += [f"intr {'8 ' * 5000}cpu1 1 1 1 1 1 1 1 999", "ctxt 42"]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("processors", [4, 1024])
def test_stolen_time_is_that_of_all_processors_that_are_used(board: Board, processors: int) -> None:
    last = processors - 1
    board.say(
        "proc/stat",
        _stat(processors, {0: 1000, 1: 50, last: 300}),
        _stat(processors, {0: 1010, 1: 2050, last: 320}),
    )
    assert board.disturbances()["steal_s"] == pytest.approx(10 / _TICKS)
    assert board.disturbances(last)["steal_s"] == pytest.approx(30 / _TICKS)
    assert board.disturbances(1, last)["steal_s"] == pytest.approx(2030 / _TICKS)


def test_the_frequency_of_each_processor_that_is_used(board: Board) -> None:
    found = board.disturbances(5)
    frequencies = {name: value for name, value in found.items() if name.endswith("_hz")}
    assert frequencies == {
        "frequency_before_hz": 1e9,
        "frequency_after_hz": 1e9,
        "processor_5_frequency_before_hz": 6e9,
        "processor_5_frequency_after_hz": 6e9,
    }


def test_cooling_is_that_of_processors(board: Board) -> None:
    assert not any(name.startswith("cooling") for name in board.disturbances())
    thermal = "sys/class/thermal/cooling_device"
    for device, (kind, before, after) in enumerate(
        [("pwm-fan", 3, 4), ("cpufreq-cpu0", 0, 2), ("thermal-cpufreq-1", 0, 1)]
    ):
        board.say(f"{thermal}{device}/type", f"{kind}\n", f"{kind}\n")
        board.say(f"{thermal}{device}/cur_state", f"{before}\n", f"{after}\n")
    found = board.disturbances()
    assert (found["cooling_before_state"], found["cooling_after_state"]) == (0, 2)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "i686"), reason="x86 counts it")
def test_how_often_processors_were_slowed_down(board: Board) -> None:
    assert "throttled" not in board.disturbances(5)
    for cpu, after in ((0, 4), (5, 6), (1, 50)):
        path = f"sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count"
        board.say(path, "3\n", f"{after}\n")
    assert board.disturbances()["throttled"] == 1
    assert board.disturbances(5)["throttled"] == 4


def test_the_hottest_zone_is_told(board: Board) -> None:
    assert "temperature_c" not in board.disturbances()
    for zone, millidegrees in enumerate((41000, 65500, -1000)):
        board.say(f"sys/class/thermal/thermal_zone{zone}/temp", "0\n", f"{millidegrees}\n")
    assert board.disturbances()["temperature_c"] == 65.5
