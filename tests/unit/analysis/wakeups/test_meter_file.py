# SPDX-License-Identifier: Apache-2.0
"""A meter's samples on this machine's clock, and playbacks on the target's."""

import random
import re
import subprocess

import numpy as np
import pytest

from perfboard.analysis.wakeups.meter_file import MeterSpan, clocked, energy_in, is_file, spans
from perfboard.model.rows import row_line


def test_the_targets_clock_lies_between_what_is_known_here() -> None:
    chance = random.Random(31)
    for _ in range(300):
        offset_s, lengths = chance.uniform(-1e5, 1e5), [chance.uniform(0.5, 9) for _ in range(5)]
        now, true, said = 10.0 + chance.uniform(0, 2), [], ""
        for length in lengths:
            true.append((now, now + length))
            began, ended = (f"{at - offset_s + 2e5:.2f}" for at in true[-1])
            said += row_line("clock", began_s=began, ended_s=ended) + "other words\n"
            now += length + chance.uniform(0, 0.1)
        found = spans(said, 10.0, now + chance.uniform(0, 2))
        assert len(found) == 5
        for span, (start, end) in zip(found, true, strict=True):
            assert abs(span.start_s - start) <= span.error_s < 2.1
            assert abs(span.end_s - end) <= span.error_s


def test_a_script_says_the_time_around_each_line() -> None:
    script = clocked(["sleep 0.2 || exit 1\n"] * 2)
    done = subprocess.run(
        ["sh", "-c", script], env={"PROBE": "echo"}, capture_output=True, text=True, check=True
    )
    words = re.findall(r"say clock began_s=(\S+) ended_s=(\S+)", done.stdout)
    assert len(words) == 2 and all(float(ended) - float(began) > 0.1 for began, ended in words)
    assert spans("nothing of the kind", 0, 1) == []


def test_the_energy_is_inside_its_interval() -> None:
    seconds = np.arange(0, 20, 0.02)
    for start in np.linspace(2, 9, 20):
        watts = np.where((seconds > start) & (seconds < start + 5), 1.5, 0.4)
        found = energy_in("m.csv", seconds, watts, MeterSpan(start + 0.1, start + 5.1, 0.15))
        assert abs(found.joules - 7.5) <= found.error < 1.2


WHOLE = np.arange(0, 10, 0.1)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (WHOLE[30:], "begins after"),
        (WHOLE[:60], "m.csv stops before a playback ended"),
        (np.concatenate([WHOLE[:35], WHOLE[70:]]), "a gap"),
        (WHOLE[::10], "has 6 samples in 5.000 s, which needs one each 500.0 ms"),
        (WHOLE[:0], "begins after"),
    ],
)
def test_a_file_that_does_not_show_it_is_told(seconds: np.ndarray, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        energy_in("m.csv", seconds, np.ones(len(seconds)), MeterSpan(2, 7, 0.1))


def test_a_file_is_told_from_a_kernels_meter() -> None:
    assert is_file("./meter.csv") and is_file("/tmp/m") and is_file("meter.csv")
    assert not any(map(is_file, ("rapl", "rapl:/a/b", "hwmon:ina226", "battery", "")))
