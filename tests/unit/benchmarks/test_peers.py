# SPDX-License-Identifier: Apache-2.0
"""When benchmarks/peers.py says that the probe's bars are met: never by looking at fewer."""

import sys

import peers
import pytest
from peer_rows import Row

from tests.support.runs import make_metric, make_run

_NOT_EVERY = "not every bar was looked at"


class Comparison:
    """Two rows, whose programs are installed and whose peers are slower and vary more."""

    def __init__(self) -> None:
        self.rows = [
            Row(name, [sys.executable], name, {}, lambda output: 1.0) for name in ("env", "sh")
        ]
        self.ours = {"env": [2.0, 2.0], "sh": [2.0, 2.0]}
        self.caches = {"L1d": 32768}

    def end(self, only: str = "", count: int = 2) -> int:
        """The exit code after so many repetitions."""
        compared = peers.chosen(self.rows, only)
        for row in compared:
            row.ours = self.ours[row.metric][:count]
            row.theirs = [1.0, 1.1][: len(row.ours)]
        run = make_run(metrics=tuple(make_metric(name, 1.0, "higher") for name in self.ours))
        met = peers.table(compared, run)
        return peers.conclude(met, [*peers.not_looked_at(self.rows, only, count, self.caches)])


@pytest.fixture
def comparison() -> Comparison:
    return Comparison()


def _outcome(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What it says after the tables."""
    lines = capsys.readouterr().out.splitlines()
    return [line for line in lines if line.startswith("not looked") or " bar " in line]


def test_every_bar_is_met_where_all_were_looked_at(
    comparison: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    assert comparison.end() == 0
    assert _outcome(capsys) == ["every bar is met"]


def test_a_bar_that_is_missed_is_said(
    comparison: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison.ours["sh"] = [0.5, 0.5]
    assert comparison.end() == 1
    assert _outcome(capsys) == ["a bar is missed"]


def test_a_peer_that_is_not_installed_meets_no_bar(
    comparison: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison.rows[1].peer = "no-such-peer"
    assert comparison.end() == 1
    assert _outcome(capsys) == ["not looked at: sh (no-such-peer): 0 of 2 figures", _NOT_EVERY]


@pytest.mark.parametrize("values", [[], [2.0]])
def test_a_row_without_a_value_of_each_repetition_meets_no_bar(
    comparison: Comparison, capsys: pytest.CaptureFixture[str], values: list[float]
) -> None:
    comparison.ours["sh"] = values
    assert comparison.end() == 1
    assert _outcome(capsys) == [f"not looked at: sh (sh): {len(values)} of 2 figures", _NOT_EVERY]


def test_one_repetition_says_nothing_of_variation(
    comparison: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    assert comparison.end(count=1) == 1
    assert _outcome(capsys) == ["not looked at: the variation: one repetition has none", _NOT_EVERY]


def test_some_peers_alone_are_a_part(
    comparison: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    assert comparison.end(only="env") == 1
    assert _outcome(capsys) == ["not looked at: sh (sh): left out by --only", _NOT_EVERY]


def test_caches_that_nobody_names_are_not_found(
    comparison: Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison.caches = {}
    assert comparison.end() == 1
    assert _outcome(capsys) == ["not looked at: the caches: lscpu names none", _NOT_EVERY]
