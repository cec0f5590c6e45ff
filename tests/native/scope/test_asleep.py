# SPDX-License-Identifier: Apache-2.0
"""How long threads slept, by the marks where they begin and end to."""

import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..sanitized import SCOPE, compile_sanitized

# Lines for the harness, see its source: what it would write.
Sleeps = Callable[[list[str]], str]


@pytest.fixture(scope="session")
def sleeps(tmp_path_factory: pytest.TempPathFactory) -> Sleeps:
    harness = compile_sanitized(
        tmp_path_factory.mktemp("asleep") / "harness",
        SCOPE,
        Path(__file__).with_name("asleep_harness.c"),
        "record/asleep.c",
    )

    def run(lines: list[str]) -> str:
        text = "\n".join(lines)
        done = subprocess.run([harness], input=text, capture_output=True, check=True, text=True)
        return done.stdout

    return run


def test_sleeps_add_up_and_those_that_go_on_do_not_count(sleeps: Sleeps) -> None:
    assert sleeps(["begins 1 100", "begins 2 150", "ends 1 300", "begins 3 400", "ends 2 450"]) == (
        ',"asleep_ns":500'
    )


def test_what_never_began_does_not_end(sleeps: Sleeps) -> None:
    assert sleeps(["ends 1 300", "begins 2 10", "ends 2 5"]) == ""


def test_more_threads_than_are_counted_do_no_harm(sleeps: Sleeps) -> None:
    begun = [f"begins {pointer} 0" for pointer in range(1, 5001)]
    ended = [f"ends {pointer} 1" for pointer in range(1, 5001)]
    assert sleeps([*begun, *ended]) == ',"asleep_ns":4096'


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 4), st.integers(1, 100)), max_size=60))
def test_the_sum_is_that_of_each_thread(sleeps: Sleeps, steps: list[tuple[bool, int, int]]) -> None:
    now, lines, expected = 0, [], 0
    since: dict[int, int] = defaultdict(lambda: -1)
    for begins, pointer, gap in steps:
        now += gap
        lines.append(f"{'begins' if begins else 'ends'} {pointer} {now}")
        if begins:
            since[pointer] = now
        elif since[pointer] >= 0:
            expected += now - since.pop(pointer)
    assert sleeps(lines) == (f',"asleep_ns":{expected}' if expected else "")
