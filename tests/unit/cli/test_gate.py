# SPDX-License-Identifier: Apache-2.0
"""`perfboard gate`, from the command line to its exit code."""

import json
from pathlib import Path

import pytest

from tests.support.command import call
from tests.support.runs import make_boot
from tests.unit.store.test_boards import stored


def boot(second: int, late: int = 0) -> Path:
    return stored(second, "verdex", boots=(make_boot({"init.exec": late}),))


def test_a_level_holds_until_another_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    boot(1)
    assert call("gate", "--strict") == 5
    said = capsys.readouterr()
    assert said.out.startswith("PASS: there is no baseline")
    assert "is now the baseline" in said.err
    assert call("gate", "--strict") == 0
    slow = boot(2, 90_000_000)
    for _ in range(2):
        # It stays red: the slow run is no baseline of itself.
        assert call("gate") == 1
    boot(3, 90_000_000)
    assert call("gate") == 1
    capsys.readouterr()
    assert call("gate", "--accept", "a new driver", slow.name) == 0
    assert capsys.readouterr().out.endswith("is now the baseline of runs like it: a new driver\n")
    assert call("gate", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["level"], found["baseline"]) == ("same", [slow.name])
    assert found["baseline_words"] == "accepted: a new driver"
    assert call("gate", "--baseline", "last 2", "--fail-above", "6%", slow.name) == 0


def test_words_that_are_wrong_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = boot(1)
    for words, said in (
        (["--fail-above", "0.5"], "--fail-above 0.5: give percent"),
        (["--fail-above", "-1%"], "--fail-above"),
        (["--false-alarms", "0%"], "--false-alarms 0%: give more than 0%"),
        (["--metric", "nosuch"], "--metric nosuch: matches no metric"),
        (["--accept", " "], "--accept: give the reason"),
        (["nosuch"], 'no run "nosuch"'),
        (["--baseline", "last 0"], "no run"),
    ):
        assert call("gate", *words) == 2
        assert said in capsys.readouterr().err
    outside = path.rename(tmp_path / "outside")
    assert call("gate", "--accept", "mine", str(outside)) == 2
