# SPDX-License-Identifier: Apache-2.0
"""How cores take turns by the board's time, and what one has to do with the lines of another."""

import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

QUANTUM = 5000
# How many cores there are, and lines for the harness, see its source: what it printed, as numbers.
Turns = Callable[..., list[list[int]]]


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sanitized(
        tmp_path_factory.mktemp("cores") / "harness",
        SCOPE,
        *("-DCORES=4", Path(__file__).with_name("cores_harness.c")),
        *("cores/bus.c", "cores/cores.c", "memory/cache.c", "cores/snoop.c", "part/state.c"),
    )


@pytest.fixture
def turns(harness: Path) -> Turns:
    def run(count: int, *lines: str) -> list[list[int]]:
        done = subprocess.run(
            [harness, str(count)],
            input="\n".join(lines),
            capture_output=True,
            check=True,
            text=True,
        )
        return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]

    return run


def test_cores_that_are_awake_keep_within_a_quantum(turns: Turns) -> None:
    said = turns(3, "run 100", "start 1", "start 2", *["run 700"] * 200)
    assert {running for running, *_ in said} == {0, 1, 2}
    for _, *times in said[20:]:
        assert max(times) - min(times) <= QUANTUM + 700


def test_a_core_begins_at_the_instant_of_the_one_that_starts_it(turns: Turns) -> None:
    said = turns(2, "run 12345", "start 1", "run 100", "run 1")
    assert said[1][2] == 12445


def test_all_cores_that_wake_after_the_board_idled_wake_at_its_end(turns: Turns) -> None:
    """The last one to fall asleep too, at which no other looked meanwhile."""
    said = turns(3, "run 100", "start 1", "run 50", "halt 1", "run 50", "idle 9000")
    assert said[-1][1:3] == [9000, 150]
    said = turns(2, "run 100", "start 1", "run 50", "idle 9000")
    assert said[-1][1:] == [9000, 9000]


def test_a_core_alone_keeps_its_turn(turns: Turns) -> None:
    assert [running for running, *_ in turns(4, *["run 9000"] * 5)] == [0] * 5


def test_all_cores_come_to_a_timers_instant_before_any_goes_beyond_it(turns: Turns) -> None:
    said = turns(2, "start 1", "run 10", "timer 7000", *["run 900"] * 30)
    beyond = next(i for i, (_, *times) in enumerate(said) if max(times) > 7900)
    assert min(said[beyond - 1][1:]) >= 7000


def test_a_core_that_waits_goes_on_when_its_line_is_stored_to(turns: Turns) -> None:
    said = turns(2, "start 1", "run 1", "read 7", "pause", "run 300", "write 7", "run 1")
    # Core 1 runs meanwhile; core 0 has waited until the store.
    assert said[2][0] == 1
    stored = said[4]
    assert stored[-2] == stored[-1] == 301


def test_a_core_that_waits_for_nothing_looks_again_each_quantum(turns: Turns) -> None:
    said = turns(2, "start 1", "run 1", "pause", *["run 1000"] * 12)
    assert any(running == 0 for running, *_ in said[3:])


def test_a_core_that_spins_takes_its_own_time(turns: Turns) -> None:
    """A YIELD takes no longer where other cores are awake."""
    said = turns(3, "start 1", "start 2", "run 1", *["yield", "run 10"] * 900)
    for (_, *before), (_, *after) in pairwise(said[2::2]):
        assert sum(after) - sum(before) == 10
    assert max(said[-1][1:]) - min(said[-1][1:]) <= 1010


def test_a_core_that_yields_for_long_waits(turns: Turns) -> None:
    said = turns(2, "start 1", "run 1", *["yield", "run 1"] * 3000)
    assert min(said[-1][1:]) > 100 * QUANTUM


def test_a_core_that_spins_comes_after_those_that_work(turns: Turns) -> None:
    said = turns(2, "start 1", "run 1", *["spin"] * 3, *["run 700"] * 7, "run 1000")
    # It goes on when the other one is at the border.
    assert [running for running, *_ in said[3:]] == [1] * 8 + [0]
    assert said[-1][1:] == [1, 5901]


def test_a_core_that_spins_goes_on_when_its_line_is_stored_to(turns: Turns) -> None:
    said = turns(2, "start 1", "run 1", "read 7", *["spin"] * 3, "run 300", "write 7")
    assert said[4][0] == 1
    assert said[6][-2:] == [301, 301]


def test_a_line_is_with_one_core_once_it_is_stored_to(turns: Turns) -> None:
    said = turns(2, "start 1", "run 1", "write 5", "run 6000", "read 5", "write 5", "write 5")
    wrote, _, read, claimed, again = said[1:]
    assert wrote[:2] == [0, 0]
    assert read[:2] == [10, 1]
    # Both have it then: to store to it, one takes it from the other.
    assert claimed[0] == 10 and again[0] == 0


def test_an_emulator_that_never_comes_to_the_core_whose_turn_it_is_is_ended(harness: Path) -> None:
    done = subprocess.run(
        [harness, "2"], input="start 1\nrun 1\nstray\n", capture_output=True, check=False, text=True
    )
    assert done.returncode == 1
    assert "no core moves: core 0 has its turn, at 1 ns, and does not come" in done.stderr


def test_a_core_has_what_others_leave_of_the_bus(turns: Turns) -> None:
    """One of two has it for 400 of 1000 ns."""
    first = ("run 1000", "take 400")
    said = turns(2, "start 1", *[line for _ in range(40) for line in (*first, "run 1")])
    # Both do the same here: each finds the bus taken by the other.
    assert {380 < words[0] < 420 for words in said if len(words) == 5 and words[4] > 20_000} == {
        True
    }


def test_a_core_alone_has_all_of_the_bus(turns: Turns) -> None:
    said = turns(2, *["run 9000", "take 4000"] * 5)
    assert all(words[0] == 0 for words in said if len(words) == 5)
