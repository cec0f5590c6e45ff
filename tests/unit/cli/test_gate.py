# SPDX-License-Identifier: Apache-2.0
"""`perfboard gate`, from the command line to its exit code."""

import json
from pathlib import Path

import pytest

from perfboard.model.run import Evidence, Metric, Status
from tests.support.command import call
from tests.support.runs import make_boot
from tests.unit.store.test_boards import stored


def boot(second: int, late: int = 0) -> Path:
    return stored(second, "verdex", boots=(make_boot({"init.exec": late}),))


def test_a_level_holds_until_another_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    boot(1)
    assert call("gate", "--strict") == 5
    said = capsys.readouterr()
    assert said.out.startswith("FIRST RUN: stored as the baseline, nothing was compared.")
    # It is no baseline of itself, however often it is asked.
    assert call("gate", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["level"], found["baseline"]) == ("first", [])
    assert call("gate", "--strict") == 5
    slow = boot(2, 90_000_000)
    for _ in range(2):
        # It stays red: the slow run is no baseline of itself.
        assert call("gate") == 1
    boot(3, 90_000_000)
    assert call("gate") == 1
    capsys.readouterr()
    assert call("gate", "--accept", "a new driver", slow.name) == 0
    assert capsys.readouterr().out.endswith("is now the baseline of runs like it: a new driver\n")
    assert call("gate", slow.name) == 0
    said = capsys.readouterr()
    assert said.out.startswith("NOT COMPARED: it is itself the baseline, accepted: a new driver.")
    assert call("gate", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["level"], found["baseline"]) == ("same", [slow.name])
    assert found["baseline_words"] == "accepted: a new driver"
    assert call("gate", "--baseline", "last 2", "--fail-above", "6%", slow.name) == 0


def measured(second: int, seconds: float) -> Path:
    """A run of one boot of a real board."""
    metrics = (Metric(name="boot.total", unit="s", samples=(seconds,)),)
    return stored(second, "mine", boots=(), metrics=metrics, evidence=Evidence.SILICON)


def test_one_boot_a_run_is_no_pass_and_the_last_runs_say_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for second, seconds in enumerate((5.0, 5.02, 4.99, 5.01, 4.98), 1):
        measured(second, seconds)
        assert call("gate") == 0
    capsys.readouterr()
    measured(6, 5.55)
    assert call("gate") == 0
    said = capsys.readouterr()
    words = " ".join(said.out.split())
    assert words.startswith("INCONCLUSIVE: boot.total rose by")
    assert "a single sample, so its noise is unknown: 5 are needed." in words
    assert "`--baseline 'last 5'` finds: WORSE: boot.total rose by 550.0 ms (+11.0%)" in words
    assert "the gate is inconclusive" in said.err
    assert call("gate", "--strict") == 5
    assert call("gate", "--baseline", "last 5") == 1
    measured(7, 5.0)
    assert call("gate", "--baseline", "last 5", "--fail-above", "20%") == 0


def test_an_import_of_unknown_evidence_is_a_baseline_only_if_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = stored(1, "mine", evidence=Evidence.UNKNOWN)
    assert call("gate") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("NOT COMPARED: no run like it was accepted yet, and one of unknown")
    assert f"`perfboard gate --accept REASON {first.name}`" in said
    stored(2, "mine", evidence=Evidence.UNKNOWN)
    assert call("gate", "--strict") == 5
    assert call("gate", "--accept", "the board of the lab", first.name) == 0
    capsys.readouterr()
    assert call("gate") == 0
    assert not capsys.readouterr().out.startswith("NOT COMPARED")


def test_a_failed_boot_of_a_commit_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    failed = stored(1, "verdex", status=Status.FAILED, tags={"commit": "4f2a"})
    assert call("gate", "commit:4f2a") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"its run {failed.name} is failed; `perfboard show {failed.name}` says why" in said
    boot(2)
    assert call("gate", "commit:4f2a") == 2
    assert failed.name in capsys.readouterr().err


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
        (["--baseline", path.name], f"{path.name} is the run that is judged"),
        (["--baseline", "latest~0"], f"{path.name} is the run that is judged"),
    ):
        assert call("gate", *words) == 2
        assert said in capsys.readouterr().err
    outside = path.rename(tmp_path / "outside")
    assert call("gate", "--accept", "mine", str(outside)) == 2
