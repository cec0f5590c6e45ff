# SPDX-License-Identifier: Apache-2.0
"""The sequential test keeps its rate of false alarms, and finds what it says it finds."""

import math
import random
import statistics
from collections.abc import Callable

import pytest

from perfboard.analysis.statistics.sequential import (
    POWER,
    Decision,
    SequentialAnswer,
    decide,
    detectable,
    looks,
)

RATE, MOST, METRICS = 0.05, 24, 5
# The noise of one of two measurements; a pair's difference is symmetric all the same.
_KINDS: dict[str, Callable[[random.Random], float]] = {
    "normal": lambda chance: chance.gauss(0, 1),
    "skewed": lambda chance: chance.lognormvariate(0, 1),
    "heavy": lambda chance: chance.gauss(0, 1) / math.sqrt(chance.gammavariate(1, 1)),
}


def _gate(draw: Callable[[], list[float]]) -> Decision:
    """A gate of which each pair is a `draw`, one excess a metric."""
    pairs: list[list[float]] = []
    needs = looks(MOST)[0]
    while needs:
        while len(pairs) < needs:
            pairs.append(draw())
        found = decide(list(zip(*pairs, strict=True)), RATE, MOST)
        assert found.needs > len(pairs) or not found.needs
        needs = found.needs
    return found


def test_the_looks_are_even_and_end_at_the_most() -> None:
    assert looks(40) == (6, 10, 16, 24, 36, 40)
    assert looks(6) == (6,)
    assert all(look % 2 == 0 for look in looks(100))


@pytest.mark.parametrize("kind", _KINDS)
def test_noise_alone_makes_no_more_gates_red_than_stated(kind: str) -> None:
    chance, noise = random.Random(f"pairs of {kind}"), _KINDS[kind]

    def draw() -> list[float]:
        return [noise(chance) - noise(chance) for _ in range(METRICS)]

    found = [_gate(draw) for _ in range(1000)]
    suspected = sum(
        any(each in (SequentialAnswer.WORSE, SequentialAnswer.UNCONFIRMED) for each in one.answers)
        for one in found
    )
    red = sum(SequentialAnswer.WORSE in one.answers for one in found)
    # Even without the confirmation.
    assert suspected <= len(found) * (RATE + 2 * math.sqrt(RATE * (1 - RATE) / len(found)))
    assert red < 0.2 * RATE * len(found)


def test_a_change_of_the_stated_size_is_found_as_often_as_stated() -> None:
    chance = random.Random("a change")
    size = detectable(1.0, RATE, METRICS, MOST)

    def draw() -> list[float]:
        return [chance.gauss(size, 1), *(chance.gauss(0, 1) for _ in range(METRICS - 1))]

    found = [_gate(draw).answers for _ in range(400)]
    hits = sum(answers[0] is SequentialAnswer.WORSE for answers in found)
    assert POWER <= hits / len(found) <= 0.97
    others = statistics.fmean(
        answers.count(SequentialAnswer.WORSE) for answers in found
    ) - hits / len(found)
    assert others < RATE


def test_a_disturbance_that_has_passed_is_not_confirmed() -> None:
    chance = random.Random("another program")
    disturbed = [[3 + chance.gauss(0, 0.5)] for _ in range(6)]
    calm = [[chance.gauss(0, 0.5)] for _ in range(6)]
    first = decide(list(zip(*disturbed, strict=True)), RATE, MOST)
    assert (first.needs, first.suspects) == (12, 1)
    again = decide(list(zip(*(disturbed + calm), strict=True)), RATE, MOST)
    assert again == Decision((SequentialAnswer.UNCONFIRMED,), 0)


def test_what_is_clearly_within_the_allowed_ends_at_the_first_look() -> None:
    chance = random.Random("within")
    pairs = [chance.gauss(-2, 0.5) for _ in range(6)]
    assert decide([pairs], RATE, MOST) == Decision((SequentialAnswer.NOT_WORSE,), 0)


def test_figures_that_never_vary_are_exact() -> None:
    assert decide([[0.0] * 6], RATE, MOST).answers == (SequentialAnswer.NOT_WORSE,)
    assert decide([[1.0] * 12], RATE, MOST).answers == (SequentialAnswer.WORSE,)
    assert decide([[-1.0] * 12], RATE, MOST).answers == (SequentialAnswer.NOT_WORSE,)
