# SPDX-License-Identifier: Apache-2.0
"""When benchmarks/peers.py says that the probe's bars are met: never by looking at fewer."""

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

_BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
_NOT_EVERY = "not every bar was looked at"


class Comparison:
    """Two rows, whose programs are installed and whose peers are slower and vary more."""

    def __init__(self, module: ModuleType, row: Callable[..., Any]) -> None:
        self._module = module
        self.rows = [
            row(name, [sys.executable], name, {}, lambda output: 1.0) for name in ("env", "sh")
        ]
        self.ours: dict[str, list[float]] = {"env": [2.0, 2.0], "sh": [2.0, 2.0]}
        self.caches = {"L1d": 32768}

    def repeat(self, compared: Sequence[Any], *_: object) -> SimpleNamespace:
        for row in compared:
            if self.ours[row.metric]:
                row.ours.append(self.ours[row.metric].pop())
                row.theirs.append(1.0 + 0.1 * len(row.theirs))
        metrics = [SimpleNamespace(name=name, unit="B/s", better="higher") for name in self.ours]
        return SimpleNamespace(metrics=metrics)

    def main(self, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["peers.py", "--repetitions", "2", *words])
        return int(self._module.main())


@pytest.fixture
def comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    monkeypatch.syspath_prepend(_BENCHMARKS)
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module("peers")
    made = Comparison(module, importlib.import_module("peer_rows").Row)
    monkeypatch.setattr(module, "rows", lambda folder: made.rows)
    monkeypatch.setattr(module, "find_binary", lambda *_: None)
    monkeypatch.setattr(module, "repeat", made.repeat)
    monkeypatch.setattr(module, "caches", lambda: made.caches)
    monkeypatch.setattr(module, "study_bars", lambda *_: True)
    monkeypatch.setattr(module, "latencies_around", lambda *_: None)
    return made


def _outcome(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What it says after the tables."""
    lines = capsys.readouterr().out.splitlines()
    return [line for line in lines if line.startswith("not looked") or " bar " in line]


def test_every_bar_is_met_where_all_were_looked_at(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert comparison.main(monkeypatch) == 0
    assert _outcome(capsys) == ["every bar is met"]


def test_a_bar_that_is_missed_is_said(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison.ours["sh"] = [0.5, 0.5]
    assert comparison.main(monkeypatch) == 1
    assert _outcome(capsys) == ["a bar is missed"]


def test_a_peer_that_is_not_installed_meets_no_bar(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison.rows[1].peer = "no-such-peer"
    assert comparison.main(monkeypatch) == 1
    assert _outcome(capsys) == ["not looked at: sh (no-such-peer): 0 of 2 figures", _NOT_EVERY]


@pytest.mark.parametrize("values", [[], [2.0]])
def test_a_row_without_a_value_of_each_repetition_meets_no_bar(
    comparison: Comparison,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    values: list[float],
) -> None:
    comparison.ours["sh"] = [*values]
    assert comparison.main(monkeypatch) == 1
    assert _outcome(capsys) == [
        f"not looked at: sh (sh): {len(values)} of 2 figures",
        _NOT_EVERY,
    ]


def test_one_repetition_says_nothing_of_variation(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert comparison.main(monkeypatch, "--repetitions", "1") == 1
    assert _outcome(capsys) == ["not looked at: the variation: one repetition has none", _NOT_EVERY]


def test_some_peers_alone_are_a_part(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert comparison.main(monkeypatch, "--only", "env") == 1
    assert _outcome(capsys) == ["not looked at: sh (sh): left out by --only", _NOT_EVERY]


def test_caches_that_nobody_names_are_not_found(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison.caches = {}
    assert comparison.main(monkeypatch) == 1
    assert _outcome(capsys) == ["not looked at: the caches: lscpu names none", _NOT_EVERY]
