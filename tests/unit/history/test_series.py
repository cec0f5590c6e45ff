# SPDX-License-Identifier: Apache-2.0
"""Metrics over stored runs, and the command that prints them."""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perfboard.history.series import load_runs, series_of
from perfboard.model.run import Evidence, Status
from perfboard.report.history import sparkline
from perfboard.store.index import list_runs
from tests.support import runs
from tests.support.command import call
from tests.support.runs import make_boot, make_metric
from tests.unit.store.test_boards import stored


def test_a_step_lies_between_two_commits(capsys: pytest.CaptureFixture[str]) -> None:
    for second, late in enumerate((0, 0, 100_000_000, 100_000_000)):
        boots = (make_boot({"init.exec": late}),)
        stored(second, "verdex", boots=boots, tags={"commit": f"a{second}"})
    stored(7, "rpi2")
    assert call("history", "--board", "verdex") == 0
    text = capsys.readouterr().out
    assert text.startswith("boot.total: boot of verdex; counted\n▁▁██\n4 runs,")
    assert "worse: rose from 1.543 s to 1.643 s (+6.5%), after commit a1" in text.replace("\n", " ")
    assert max(map(len, text.splitlines())) <= 80
    assert call("history", "boot.root*", "boot.delay", "--json", "--board", "verdex") == 0
    series = json.loads(capsys.readouterr().out)
    steps = {each["metric"]: each["steps"] for each in series}
    assert steps["boot.delay"] == []
    (step,) = steps["boot.root.mount"]
    assert (step["last"]["tags"], step["first"]["tags"]) == ({"commit": "a1"}, {"commit": "a2"})
    assert call("history", "--tag", "commit=a3") == 0
    assert "1 run," in capsys.readouterr().out
    assert call("history", "nosuch") == 2
    assert "no complete run has a metric nosuch" in capsys.readouterr().err


def test_a_table_has_a_row_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    for second in range(2):
        stored(second, "verdex", boots=(make_boot(),), tags={"commit": f"a{second}"})
    words = ("history", "boot.total", "boot.delay", "--format", "csv")
    assert call(*words) == 0
    head, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert head == ["time", "run", "tag_commit", "boot.delay", "boot.total"]
    assert [row[2:] for row in rows] == [[f"a{n}", "7.824e-06", "1.543210984"] for n in range(2)]
    assert all(datetime.fromisoformat(row[0]).tzinfo for row in rows)
    stored(5, "rpi2")
    assert call(*words) == 2
    assert "needs runs of one kind" in capsys.readouterr().err


def test_runs_of_different_kinds_are_apart() -> None:
    stored(1, "verdex", factors={"quiet": "on"})
    stored(2, "verdex", factors={"quiet": "off"})
    stored(3, "verdex", factors={"quiet": "on"}, evidence=Evidence.TIMED)
    stored(4, "verdex", factors={"quiet": "on"}, status=Status.ABORTED)
    broken = stored(5, "verdex")
    rows = list_runs()
    (broken / "run.json").write_text("{")
    found = series_of(load_runs(rows))
    assert [len(each.points) for each in found] == [1, 1, 1]


def test_a_real_board_confirms_a_step() -> None:
    for second, value in enumerate((1.0, 1.01, 0.99, 1.0, 1.01, 3.0, 3.01)):
        metrics = (make_metric("boot.total", value),)
        stored(second, "cam", boots=(), metrics=metrics, evidence=Evidence.SILICON)
    (two,) = series_of(load_runs(list_runs()))
    assert two.steps == ()
    stored(8, "cam", boots=(), metrics=(make_metric("boot.total", 2.99),), evidence="silicon")
    (three,) = series_of(load_runs(list_runs()))
    assert [step.first.value for step in three.steps] == [3.0]


def test_a_sparkline_is_as_wide_as_asked_at_most() -> None:
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([0.0, 7.0, 3.5]) == "▁█▅"
    assert len(sparkline([float(n) for n in range(1000)], 60)) == 60


@pytest.mark.parametrize("command", ["history", "dashboard"])
def test_runs_that_cannot_be_read_are_said(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also one that the index has as whole, and one whose clock was wrong."""
    stored(1, "verdex")
    noise, cut = stored(2, "verdex"), runs.stored()
    (noise / "run.json").write_text("{")
    list_runs()
    (cut / "artifacts/console.log").unlink()
    future = stored(4, "verdex", started=datetime(2090, 1, 1, tzinfo=UTC))
    words = (command, str(tmp_path / "site")) if command == "dashboard" else (command,)
    assert call(*words) == 0
    said = capsys.readouterr().err
    assert f"{noise.name} is broken: " in said and "is not whole" in said
    assert f"{cut.name} is broken: " in said and "console.log is missing" in said
    assert f"{future.name} is complete: " in said and "still to come" in said
    assert said.count(" is broken: ") == 2 and said.count(" is complete: ") == 1
