# SPDX-License-Identifier: Apache-2.0
"""The adaptive level: what it guarantees, under loads that it was not made with."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.analysis.wakeups.advice import slack_ns
from tests.support.wake_policy import HOLD_NS, RISE_NS, Adaptive, FixedPolicy, TwoLevel
from tests.support.wake_simulation import (
    Burst,
    SimulatedPlayback,
    drawn,
    in_turn,
    random_bursts,
    simulate,
)

BUFFERS, PERIOD = 8, 5_804_988
MS = 1_000_000
PERIODS = 50_000
# Wake-up latencies on omap1710 (a note of wake-ups in docs/notes has them): the least of a class,
# and how many.
RECORDED = [(14_336, 10), (16_384, 300), (20_480, 600), (24_576, 80), (28_672, 9), (348_160, 1)]


def play(
    policy: FixedPolicy | TwoLevel | Adaptive,
    bursts: Iterator[Burst],
    seed: int,
    periods: int = PERIODS,
) -> SimulatedPlayback:
    latencies = drawn(Random(seed), RECORDED)
    return simulate(policy, BUFFERS, PERIOD, periods, bursts, latencies)


def bursts(length_ms: int, seed: int) -> Iterator[Burst]:
    return random_bursts(Random(seed), length_ms * MS, 112 * MS)


@pytest.mark.parametrize("level", range(BUFFERS - 1))
def test_an_idle_writer_sleeps_through_level_and_one_buffers(level: int) -> None:
    outcome = play(FixedPolicy(level), iter(()), 1, 10_000)
    assert outcome.missed == 0
    assert outcome.wakes == pytest.approx(10_000 / (level + 1), abs=1)


def test_idle_it_rises_to_the_highest_level() -> None:
    adaptive = Adaptive(BUFFERS, PERIOD)
    outcome = play(adaptive, iter(()), 1)
    assert adaptive.level == BUFFERS - 2 and outcome.missed == 0
    assert outcome.wakes < 0.2 * PERIODS


@pytest.mark.parametrize("seed", [11, 12, 13])
@pytest.mark.parametrize("length_ms", [12, 25])
def test_bursts_cost_little_more_than_the_best_level_that_misses_none(
    length_ms: int, seed: int
) -> None:
    fixed = [
        play(FixedPolicy(level), bursts(length_ms, seed), seed) for level in range(BUFFERS - 1)
    ]
    best = min(outcome.wakes for outcome in fixed if not outcome.missed)
    adaptive = play(Adaptive(BUFFERS, PERIOD), bursts(length_ms, seed), seed)
    assert adaptive.missed == 0
    assert adaptive.wakes <= 1.3 * best
    assert any(outcome.missed for outcome in fixed)


@pytest.mark.parametrize("length_ms", [12, 25])
def test_idle_and_bursts_in_turn_cost_at_most_a_miss_a_change(length_ms: int) -> None:
    turns = in_turn(Random(7), length_ms * MS, 112 * MS, 10_000 * MS)
    outcome = play(Adaptive(BUFFERS, PERIOD), turns, 7)
    changes = PERIODS * PERIOD // (10_000 * MS)
    assert outcome.missed <= changes
    two = play(TwoLevel(0, 6, PERIOD), in_turn(Random(7), length_ms * MS, 112 * MS, 10_000 * MS), 7)
    assert two.late > outcome.late


def test_a_burst_that_comes_back_after_the_hold_costs_one_late_wake_each() -> None:
    # The worst that one length of burst can do: it comes when it has just been forgotten.
    every = HOLD_NS + 6 * RISE_NS
    again = ((n * every, n * every + 25 * MS) for n in range(1, 12))
    outcome = play(Adaptive(BUFFERS, PERIOD), again, 3, 12 * every // PERIOD)
    assert 0 < outcome.late <= 11


def test_it_falls_at_once_and_rises_one_by_one() -> None:
    policy = Adaptive(BUFFERS, PERIOD)
    now, levels = 0, []
    while policy.level < 6:
        now += RISE_NS
        levels.append(policy.choose(now))
    assert levels == [1, 2, 3, 4, 5, 6]
    policy.note(now, 25 * MS)
    assert policy.choose(now) == 2
    assert policy.choose(now + HOLD_NS - 1) == 2
    assert policy.choose(now + HOLD_NS) == 3 and policy.choose(now + HOLD_NS + 1) == 3
    assert policy.choose(now + HOLD_NS + RISE_NS) == 4


@settings(max_examples=200)
@given(
    st.integers(2, 64),
    st.lists(st.tuples(st.integers(0, 2 * HOLD_NS), st.integers(0, 400 * MS)), max_size=40),
)
def test_what_was_needed_within_the_hold_is_covered(
    buffers: int, wakes: Sequence[tuple[int, int]]
) -> None:
    policy, now, past = Adaptive(buffers, PERIOD), 0, list[tuple[int, int]]()
    for pause, needed in wakes:
        now += pause
        policy.note(now, needed)
        past.append((now, needed))
        level = policy.choose(now)
        assert 0 <= level <= buffers - 2
        recent = max(need for at, need in past if now - at < HOLD_NS)
        # It covers what was needed within the hold, unless no level does.
        assert level == 0 or slack_ns(buffers, level, PERIOD) >= recent + recent // 8


def test_a_needed_time_is_more_than_the_slack_where_a_deadline_is_missed() -> None:
    # One burst that ends just before, and just after, the slack of level 6 has gone.
    release = 7 * PERIOD
    for more, missed in ((-100_000, 0), (100_000, 1)):
        one = iter([(release, release + PERIOD + more)])
        found = simulate(FixedPolicy(6), BUFFERS, PERIOD, 100, one, drawn(Random(1), [(20_000, 1)]))
        assert found.missed == found.late == missed
