# SPDX-License-Identifier: Apache-2.0
"""The cycles that the probe's latency walks follow, compiled with sanitizers."""

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from .compiler import HERE, compile_sources

BACKWARD, RANDOM = 0, -1
UNIT = 128

# Each example starts a program.
few = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
spacings = st.sampled_from([16, 32, 64, 4096])
kinds = st.one_of(st.sampled_from([BACKWARD, RANDOM]), st.integers(2, 40))
seeds = st.integers(0, 2**32 - 1)
counts = st.lists(st.integers(1, 700), min_size=1, max_size=4)


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("native") / "chase"
    return compile_sources(program, HERE / "chase_harness.c", "measure/chase.c")


def run(harness: Path, *words: object) -> str:
    arguments = [str(harness), *(str(word) for word in words)]
    return subprocess.run(arguments, capture_output=True, check=True, text=True).stdout


@dataclass(frozen=True)
class Cycle:
    whole: bool
    order: list[int]
    end: int


def grown(
    harness: Path, spacing: int, kind: int, seed: int, counts: list[int], units: int = 0
) -> Cycle:
    return Cycle(**json.loads(run(harness, "order", spacing, kind, seed, units, *counts)))


@few
@given(spacings, kinds, seeds, counts)
def test_each_element_is_visited_once(
    harness: Path, spacing: int, kind: int, seed: int, counts: list[int]
) -> None:
    cycle = grown(harness, spacing, kind, seed, counts)
    assert sorted(cycle.order) == list(range(max(counts)))
    assert cycle.whole


@few
@given(kinds, seeds, counts)
def test_growing_in_steps_makes_the_same_cycle(
    harness: Path, kind: int, seed: int, counts: list[int]
) -> None:
    assert grown(harness, 64, kind, seed, sorted(counts)) == grown(
        harness, 64, kind, seed, [max(counts)]
    )


@few
@given(st.integers(2, 40), seeds, counts)
def test_a_group_is_walked_wholly_before_the_next(
    harness: Path, group: int, seed: int, counts: list[int]
) -> None:
    order = grown(harness, 64, group, seed, counts).order
    groups = [number for number, _ in groupby(index // group for index in order)]
    assert len(groups) == len(set(groups))


@pytest.mark.parametrize("count", [1, 2, 3, 100])
def test_backward_goes_down_from_the_end(harness: Path, count: int) -> None:
    cycle = grown(harness, 64, BACKWARD, 1, [count])
    assert cycle.order == [0, *range(count - 1, 0, -1)]


@few
@given(kinds, seeds, st.integers(1, 300), st.integers(0, 20))
def test_a_unit_is_sixty_four_loads(
    harness: Path, kind: int, seed: int, count: int, units: int
) -> None:
    cycle = grown(harness, 64, kind, seed, [count], units)
    assert cycle.end == cycle.order[units * UNIT % count]


def test_every_cyclic_order_is_as_likely(harness: Path) -> None:
    seen = Counter(run(harness, "shapes", 5, 4800).splitlines())
    assert len(seen) == 24
    # Of 200 each, with a deviation of 14: four of them.
    assert all(140 < times < 260 for times in seen.values())


def test_another_seed_makes_another_cycle(harness: Path) -> None:
    orders = {tuple(grown(harness, 64, RANDOM, seed, [500]).order) for seed in range(1, 20)}
    assert len(orders) == 19


@few
@given(kinds, seeds, st.integers(2, 700), st.data())
def test_a_pointer_to_another_element_is_found(
    harness: Path, kind: int, seed: int, count: int, data: st.DataObject
) -> None:
    order = grown(harness, 64, kind, seed, [count]).order
    place = data.draw(st.integers(0, count - 1))
    wrong = data.draw(st.integers(0, count - 1))
    assume(wrong != order[(place + 1) % count])
    assert run(harness, "break", 64, kind, seed, count, order[place], wrong) == "false\n"


@few
@given(kinds, seeds, st.integers(2, 700), st.data())
def test_two_cycles_instead_of_one_are_found(
    harness: Path, kind: int, seed: int, count: int, data: st.DataObject
) -> None:
    one = data.draw(st.integers(0, count - 1))
    other = data.draw(st.integers(0, count - 1).filter(lambda index: index != one))
    assert run(harness, "break", 64, kind, seed, count, one, f"swap:{other}") == "false\n"


@pytest.mark.parametrize("how", ["outside", "between"])
@pytest.mark.parametrize("count", [1, 64, 700])
def test_a_pointer_to_no_element_is_found(harness: Path, how: str, count: int) -> None:
    assert run(harness, "break", 64, RANDOM, 3, count, count // 2, how) == "false\n"
