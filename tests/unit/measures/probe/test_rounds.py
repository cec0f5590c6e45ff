# SPDX-License-Identifier: Apache-2.0
"""Rounds, their order, their time, and when it is enough."""

import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence

import pytest

from perfboard.measures.probe.rounds import ROUNDS, ProbeRounds, ProbeTime
from perfboard.model.errors import TargetError
from perfboard.probes.exchange import ProbeAnswer
from perfboard.probes.records import ProbeEntry


class Step:
    def __init__(self) -> None:
        self.updates: list[tuple[float, str]] = []

    def update(self, done: float, note: str = "") -> None:
        self.updates.append((done, note))


def probes(**weights: int) -> list[ProbeEntry]:
    return [
        ProbeEntry.model_validate({"probe": name, "summary": "", "weight": weight})
        for name, weight in weights.items()
    ]


def output(probe: str, value: float, cpu: int = 3, elapsed_s: float = 0.1) -> ProbeAnswer:
    lines = (
        json.dumps({"process": {"probe": probe, "cpu": cpu}}),
        json.dumps(
            {"metric": probe, "unit": "s", "better": "lower", "labels": {}, "samples": [value]}
        ),
        json.dumps({"end": {"elapsed_s": elapsed_s, "disturbances": {}}}),
    )
    return ProbeAnswer(lines, "exit 0")


class Board:
    """Runs probes that give `values`, each in turn, or end as `answers` says.

    Of the seconds asked for, `takes` makes the host's, and `elapses` the board's own. It is lost
    after `lasts` probes.
    """

    def __init__(self, **values: Sequence[float]) -> None:
        self.asked: list[tuple[str, float, Sequence[str], float]] = []
        self.now = 0.0
        self.takes: Callable[[float], float] = lambda seconds: seconds + 0.01
        self.elapses: Callable[[float], float] = lambda seconds: seconds
        self.values: dict[str, Iterator[float]] = {
            name: itertools.cycle(of) for name, of in values.items()
        }
        self.answers: dict[str, ProbeAnswer] = {}
        self.lasts = math.inf

    def run(self, probe: str, arguments: Sequence[str], limit_s: float) -> ProbeAnswer:
        if len(self.asked) == self.lasts:
            raise TargetError("lost", "gone")
        seconds = float(arguments[arguments.index("--seconds") + 1])
        self.asked.append((probe, seconds, arguments, limit_s))
        self.now += self.takes(seconds)
        if probe in self.answers:
            return self.answers[probe]
        return output(probe, next(self.values[probe]), elapsed_s=self.elapses(seconds))

    def seconds(self, probe: str) -> list[float]:
        return [seconds for name, seconds, _, _ in self.asked if name == probe]


@pytest.fixture
def board() -> Board:
    return Board(a=[1.0], b=[1.0], c=[1.0], wide=[1.0, 1.5], lone=[1.0])


class measure:  # noqa: N801 - reads as what it does
    def __init__(
        self, board: Board, time_s: float = 60, target_time: bool = False, **weights: int
    ) -> None:
        self.step = Step()
        plan = ProbeTime(time_s, target_time)
        self._measuring = ProbeRounds(board, probes(**weights), plan, lambda: board.now)
        self.merger = self._measuring.merger

    def run(self) -> str:
        return self._measuring.run(self.step)


def test_each_round_runs_each_probe_once_in_an_order_of_its_own(board: Board) -> None:
    measuring = measure(board, a=1, b=1, c=1)
    said = measuring.run()
    names = [name for name, *_ in board.asked]
    rounds = [tuple(names[i : i + 3]) for i in range(0, len(names), 3)]
    assert len(rounds) == ROUNDS == 5
    assert all(sorted(round) == ["a", "b", "c"] for round in rounds)
    assert len(set(rounds)) > 1
    assert [p.round for p in measuring.merger.processes] == [r for r in range(5) for _ in range(3)]
    assert said == (
        "Stopped after 5 rounds and 15 processes, because what can be measured again is known "
        "well enough: 3 of 3 metrics are within ±2%."
    )


def test_the_same_plan_gives_the_same_order(board: Board) -> None:
    measure(board, a=1, b=1, c=1, lone=1).run()
    first = [name for name, *_ in board.asked]
    board.asked.clear()
    measure(board, a=1, b=1, c=1, lone=1).run()
    assert [name for name, *_ in board.asked] == first


def test_time_is_shared_by_weight_within_the_budget(board: Board) -> None:
    measure(board, time_s=60, a=1, b=9).run()
    assert sum(board.seconds("b")) == pytest.approx(9 * sum(board.seconds("a")), rel=0.01)
    assert 30 < board.now < 40


def test_a_board_that_takes_longer_than_asked_is_asked_for_less(board: Board) -> None:
    board.takes = lambda seconds: 3 * seconds + 0.2
    measure(board, time_s=60, a=1, b=2).run()
    assert board.now < 60
    # The first round goes by what was planned, and the others make up for it.
    assert board.seconds("a")[1] < board.seconds("a")[0] / 2


def test_only_what_is_wide_runs_again_until_the_budget_is_spent(board: Board) -> None:
    measuring = measure(board, time_s=20, a=5, wide=5)
    said = measuring.run()
    names = [name for name, *_ in board.asked]
    assert names.count("a") == 5
    assert names.count("wide") > 6
    assert 18 < board.now <= 20
    assert "because the time of 20 s is spent: 1 of 2 metrics are within ±2%" in said
    assert "the widest is wide, ±" in said


def test_what_becomes_narrow_stops(board: Board) -> None:
    board.values["lone"] = itertools.chain([2.0], itertools.repeat(1.0))
    said = measure(board, lone=1, a=1).run()
    names = [name for name, *_ in board.asked]
    assert names.count("a") == 5
    # Five processes cannot rule the odd one out; a few more can.
    assert 5 < names.count("lone") < 12
    assert "well enough: 2 of 2" in said


def test_even_the_smallest_budget_gives_five_processes_of_the_least_time(board: Board) -> None:
    said = measure(board, time_s=0.1, a=1, b=1, wide=1).run()
    assert len(board.asked) == 15
    assert re.search(r"the 5 that are always made took [0-9.]+ s, beyond the time of 0.1 s", said)
    # The first share by weight, all others the floor.
    assert all(0.05 <= seconds <= 0.051 for _, seconds, _, _ in board.asked)


@pytest.mark.parametrize("stretch", [0.5, 1, 3])
def test_the_target_s_time_does_not_see_the_host_s(board: Board, stretch: float) -> None:
    board.takes = lambda seconds: 1000.0
    board.elapses = lambda seconds: stretch * seconds
    measure(board, time_s=20, target_time=True, a=1, wide=1).run()
    elapsed = sum(stretch * seconds for _, seconds, _, _ in board.asked)
    assert 14 < elapsed <= 20.001


def test_a_board_whose_probes_say_that_no_time_passed_does_not_run_for_ever(board: Board) -> None:
    board.elapses = lambda seconds: 0.0
    measure(board, time_s=2, target_time=True, wide=1).run()
    assert 5 < len(board.asked) <= 40


def test_all_processes_run_where_the_first_did_with_a_generous_limit(board: Board) -> None:
    measure(board, a=1, b=1).run()
    first, *others = board.asked
    assert "--cpu" not in first[2]
    assert all(list(words[-2:]) == ["--cpu", "3"] for _, _, words, _ in others)
    assert all(limit > 30 + 9 * seconds for _, seconds, _, limit in board.asked)


@pytest.mark.parametrize(
    "answer",
    [
        ProbeAnswer(('{"refused":"no room"}', '{"end":{"elapsed_s":0}}'), "exit 0"),
        ProbeAnswer((), "signal 9"),
        ProbeAnswer((), "timeout"),
        ProbeAnswer(("Segmentation fault",), "exit 1"),
    ],
)
def test_a_probe_that_cannot_is_not_asked_again_and_the_others_go_on(
    board: Board, answer: ProbeAnswer
) -> None:
    board.answers["b"] = answer
    measuring = measure(board, a=1, b=1, c=1)
    measuring.run()
    names = [name for name, *_ in board.asked]
    assert (names.count("a"), names.count("b"), names.count("c")) == (5, 1, 5)
    (refused,) = [process for process in measuring.merger.processes if process.refused]
    assert refused.probe == "b"


def test_when_nothing_can_be_measured_it_ends(board: Board) -> None:
    board.answers["a"] = ProbeAnswer((), "exit 1")
    assert measure(board, a=1).run() == (
        "Stopped after 5 rounds and 1 process: no probe has measured a metric."
    )


def test_what_was_measured_before_a_failure_stays(board: Board) -> None:
    board.lasts = 7
    measuring = measure(board, a=1, b=1)
    with pytest.raises(TargetError, match="gone"):
        measuring.run()
    assert len(measuring.merger.processes) == 7
    assert sum(len(metric.samples) for metric in measuring.merger.metrics()) == 7


def test_progress_goes_by_the_budget_and_names_probe_and_round(board: Board) -> None:
    measuring = measure(board, time_s=20, a=1, wide=1)
    measuring.run()
    step = measuring.step
    done = [amount for amount, _ in step.updates]
    assert done == sorted(done)
    assert max(done) <= 20
    assert {note for _, note in step.updates[:2]} == {"a, round 1", "wide, round 1"}
