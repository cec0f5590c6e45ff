# SPDX-License-Identifier: Apache-2.0
"""Playbacks and a meter's readings, of rows that may be damaged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.power.meter import Meter, MeterChannel
from perfboard.analysis.wakeups.reading import MeterPlan, read_playbacks
from perfboard.measures.wakeups.playback import AudioWakeups
from perfboard.model.rows import row_line

PLAYED = AudioWakeups.examples[0].output
METERED = MeterPlan(Meter("rapl", (MeterChannel("all", "J", ("energy",), 1e-6),), 1e-3), 60.0)


def reading(ns: int, *numbers: int | None) -> str:
    return row_line("reading", ns=ns, numbers=numbers)


def test_a_meters_switches_and_energy_are_of_the_playback_before_it() -> None:
    output = PLAYED + reading(0, 5) + reading(10**9, 1_000_005) + row_line("meter", switches=10)
    first, second = read_playbacks(output + PLAYED, METERED)
    assert (first.switches, first.energies[0].joules) == (780, 1.0)
    assert (second.switches, second.energies) == (800, ())
    assert first.states == second.states == {"WFI": 0.25 * first.elapsed_s}


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        ("load burst12: Operation not permitted", " (it needs root)"),
        ("load copy: No space left on device", ""),
        ("a sound card: Operation not permitted", ""),
    ],
)
def test_a_load_that_needs_root_says_so(refused: str, words: str) -> None:
    (playback,) = read_playbacks(
        row_line("unplayed", way="timer", level="0", load="burst12", why=refused)
    )
    assert playback.refused == refused + words


def test_a_reading_of_other_files_is_none() -> None:
    output = PLAYED + reading(0) + reading(1, 5, 6) + row_line("meter", switches=1)
    (found,) = read_playbacks(output, METERED)
    assert found.no_energy == "rapl was read 0 times"


@given(st.data())
def test_damaged_rows_are_passed_over(data: st.DataObject) -> None:
    output = PLAYED + reading(0, 5) + reading(10**9, None) + row_line("meter", switches=10)
    begin, end = sorted(data.draw(st.integers(0, len(output))) for _ in range(2))
    cut = output[:begin] + data.draw(st.text(max_size=9)) + output[end:]
    assert len(read_playbacks(cut, METERED)) <= 1
