# SPDX-License-Identifier: Apache-2.0
"""Noise alone fails a gate no more often than is stated, and does not hide a real change."""

import math
import random
from collections.abc import Callable

import pytest

from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import judge
from perfboard.analysis.gate.noise import shift_from_runs, shift_of
from perfboard.model.run import Evidence, Metric, Run
from tests.support.runs import make_run

GATES, METRICS, RATE = 400, 10, 0.05
_KINDS: dict[str, Callable[[random.Random], float]] = {
    "normal": lambda chance: chance.gauss(1.0, 0.02),
    "skewed": lambda chance: chance.lognormvariate(0.0, 0.1),
    "heavy": lambda chance: 1 + 0.01 * chance.gauss(0, 1) / math.sqrt(chance.gammavariate(2, 0.5)),
}


def _run(chance: random.Random, kind: str, slower: float = 1.0, samples: int = 8) -> Run:
    metrics = tuple(
        Metric(
            name=f"cpu.m{number}",
            unit="s",
            samples=tuple(slower * _KINDS[kind](chance) for _ in range(samples)),
        )
        for number in range(METRICS)
    )
    return make_run(evidence=Evidence.SILICON, headline=None, metrics=metrics, boots=())


@pytest.mark.parametrize("kind", _KINDS)
def test_noise_alone_fails_no_more_gates_than_stated(kind: str) -> None:
    chance = random.Random(f"a gate of {kind}")
    rules = Rules(fail_above=0.0, false_alarms=RATE)
    red = sum(
        judge(_run(chance, kind), [_run(chance, kind)], "", rules).level is GateLevel.WORSE
        for _ in range(GATES)
    )
    assert red <= GATES * (RATE + 2 * math.sqrt(RATE * (1 - RATE) / GATES))


def test_a_slowdown_is_found_and_its_size_is_inside_its_interval() -> None:
    chance = random.Random("a slowdown of 10%")
    inside = red = 0
    for _ in range(100):
        found = judge(_run(chance, "normal", 1.1), [_run(chance, "normal")], "", Rules())
        red += found.level is GateLevel.WORSE
        first = found.findings[0]
        assert first.interval is not None
        inside += first.interval.low <= 0.1 <= first.interval.high
    assert red == 100
    assert 85 <= inside <= 100


def test_runs_that_differ_from_each_other_hide_a_change_that_one_run_would_show() -> None:
    alike = [1.0, 1.0001, 0.9999, 1.00005]
    one = shift_of(alike, [1.01, 1.0101, 1.0099])
    several = shift_from_runs([1.0, 1.02, 0.98, 1.01], 1.01)
    assert one is not None and several is not None
    assert one.chance_above(0) < 1e-4
    assert several.chance_above(0) > 0.1


def test_the_noise_of_a_single_sample_is_unknown() -> None:
    assert shift_of([1.0], [2.0, 2.1]) is None
    assert shift_of([1.0, 1.0], [2.0, 2.0]) is None
    assert shift_from_runs([1.0], 2.0) is None
