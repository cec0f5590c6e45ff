# SPDX-License-Identifier: Apache-2.0
"""The search for the highest load without loss, on simulated devices."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.analysis.packets.search import Bounds, Goal, LoadResult, classify, next_trial

GOAL = Goal()
LEAST, MOST = 1.0, 1e7
_MOST_TRIALS = 120


def search(
    rate: float, queue: float, first: float, noise: float = 0.0, seed: int = 0
) -> tuple[Bounds, list[LoadResult]]:
    """The bounds for a device that answers `rate` a second and holds `queue` more.

    The share `noise` of the trials loses a packet for another reason.
    """
    done: list[LoadResult] = []
    chance = random.Random(seed)
    while True:
        found = next_trial(GOAL, first, LEAST, MOST, done)
        if isinstance(found, Bounds):
            return found, done
        assert LEAST <= found.load <= MOST
        offered = found.load * found.duration_s
        lost = max(0.0, (found.load - rate) * found.duration_s - queue)
        lost = max(lost, 1.0 if chance.random() < noise else 0.0)
        done.append(LoadResult(found.load, found.duration_s, lost / offered))
        assert len(done) < _MOST_TRIALS


@given(
    rate=st.floats(10, 1e6),
    queue=st.floats(0, 1000),
    guess=st.floats(0.2, 5),
)
@settings(max_examples=200, deadline=None)
def test_the_bounds_hold_the_truth_but_for_the_queue(
    rate: float, queue: float, guess: float
) -> None:
    bounds, done = search(rate, queue, max(LEAST, min(MOST, rate * guess)))
    # A trial loses nothing while the queue takes what is too much.
    truth = rate + queue / GOAL.final_s
    assert bounds.lower is not None and bounds.upper is not None
    assert bounds.lower <= truth * (1 + 1e-9)
    assert bounds.upper > truth * (1 - 1e-9)
    assert bounds.upper <= bounds.lower * (1 + GOAL.width) * (1 + 1e-9)
    # The lower one rests on trials of the whole length.
    whole = sum(t.duration_s for t in done if t.load == bounds.lower and t.duration_s == 3)
    assert whole >= GOAL.sum_s * (1 - GOAL.exceed) - 1e-9


@given(rate=st.floats(100, 1e5), seed=st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_a_rare_loss_of_another_cause_moves_it_little(rate: float, seed: int) -> None:
    bounds, _ = search(rate, 0, rate * 1.2, noise=0.02, seed=seed)
    assert bounds.lower is not None and 0.8 * rate < bounds.lower <= rate * (1 + 1e-9)


def test_a_device_that_loses_all_has_no_lower_bound() -> None:
    bounds, done = search(0.5, 0, 1000)
    assert bounds == Bounds(None, LEAST) and len(done) < 60


def test_one_that_loses_nothing_has_no_upper_bound() -> None:
    bounds, _ = search(1e9, 0, 1e6)
    assert bounds == Bounds(MOST, None)


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([], "undecided"),
        ([(3, 0)], "undecided"),
        ([(3, 0), (3, 0)], "lower"),
        ([(3, 0), (3, 0.1), (3, 0)], "lower"),
        ([(3, 0.1), (3, 0)], "undecided"),
        ([(3, 0.1), (3, 0.1)], "upper"),
        # Short trials with loss count too, but those without take their part back.
        ([(3, 0.1), (1, 0.1)], "upper"),
        ([(3, 0.1), (1, 0.1), (3, 0), (3, 0), (3, 0)], "lower"),
        ([(1, 0)] * 9, "undecided"),
    ],
)
def test_a_load_is_classified_by_the_sums_of_its_trials(
    trials: list[tuple[float, float]], expected: str
) -> None:
    measured = [LoadResult(10, seconds, lost) for seconds, lost in trials]
    assert classify(GOAL, GOAL.final_s, GOAL.sum_s, measured) == expected
