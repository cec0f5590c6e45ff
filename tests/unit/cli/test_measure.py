# SPDX-License-Identifier: Apache-2.0
"""`perfboard measures` and `perfboard measure`: lists, descriptions, and what is refused."""

import json
from pathlib import Path

import pytest

from perfboard.cli.finish import finish
from perfboard.measures.catalogue import all_measures
from perfboard.model.results.measures import Measurement, MeasuresResult
from perfboard.model.results.probes import ProbeProcess
from perfboard.model.run import TIMED_UNITS
from tests.support.command import call
from tests.support.runs import make_run

KEYS = {"name", "title", "metrics", "parameters", "needs"}


def test_the_list_has_all_in_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measures") == 0
    printed = capsys.readouterr().out
    for name, one in all_measures().items():
        assert any(line.split(None, 1) == [name, one.title] for line in printed.splitlines())
    assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.parametrize("name", list(all_measures()))
def test_a_description_has_all_in_80_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measures", name) == 0
    printed = capsys.readouterr().out
    one = all_measures()[name]
    assert printed.startswith(f"{name}: {one.title}\n\n")
    for each in one.metrics:
        work = f"; work: {each.work}" if each.unit in TIMED_UNITS else ""
        assert f"\n  {each.name} ({each.unit}, {each.better} is better{work})\n" in printed
    assert all(f"\n  {each.name}=" in printed for each in one.parameters)
    assert max(map(len, printed.splitlines())) <= 80


def test_two_descriptions(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measures", "disk.dd", "boot") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("disk.dd: ") and "\n\nboot: Boot time, phase by phase\n" in printed


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measures", "--json") == 0
    records = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in records] == list(all_measures())
    for each in records:
        assert set(each) == KEYS
        assert all(
            set(one) == {"name", "unit", "help", "better", "work"} for one in each["metrics"]
        )
        assert all({"name", "default", "help"} <= set(one) for one in each["parameters"])


def test_one_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measures", "disk.dd", "--json") == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["unit"], one["better"]) for one in record["metrics"]] == [
        ("disk.dd.bandwidth", "B/s", "higher"),
        ("disk.dd.busy", "1", "lower"),
    ]
    assert {one["name"]: one["default"] for one in record["parameters"]} == {
        "quick": False,
        "folder": "",
    }
    assert "on a virtual board, Debian's packages: e2fsprogs" in record["needs"]


def test_the_names_of_before_are_noted(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("measures") == 0
    listed = capsys.readouterr().out
    assert call("probes") == 0
    printed = capsys.readouterr()
    assert printed.out == listed
    assert printed.err == "`perfboard probes` is called `perfboard measures` now\n"


@pytest.mark.parametrize("command", [("measure",), ("study", "standard")])
def test_time_was_called_budget(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    # The target is refused after the options are read.
    assert call(*command, "--budget", "1", "--target", "nosuch:x") == 2
    printed = capsys.readouterr().err
    assert "--budget is called --time now; the old name goes with the next release\n" in printed
    assert call(*command, "--time", "1", "--target", "nosuch:x") == 2
    assert "--budget" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["measures", "memory.laten"], 'no measure "memory.laten"; did you mean "memory.latency"?'),
        (["measures", "xyz"], '"xyz". `perfboard measures` lists them'),
        (["measure", "memory.laten"], 'no measure or set "memory.laten"; did you mean'),
        (["measure", "bringupp"], 'did you mean "bringup"?'),
        (["measure", "./absent.toml"], "absent.toml"),
        (["measure", "web-mail"], "`perfboard choose web-mail` does so"),
        (
            ["measure", "disk.dd", "--budget", "disk.dd.bandwith >= 1 MB/s"],
            'nothing here gives a metric "disk.dd.bandwith"; did you mean "disk.dd.bandwidth"?',
        ),
        (
            ["measure", "disk.dd", "--budget", "disk.dd.bandwidth >= 1 MB"],
            "is not in a unit of disk.dd.bandwidth, which is B/s, kB/s, MB/s",
        ),
        (["measure", "disk.dd", "--budget", "disk.dd.bandwidth"], "give a metric and a limit"),
        (["measure", "disk.dd", "--with", "quik=true"], 'did you mean "quick"?'),
        (["measure", "disk.dd", "--with", "xyz=1"], "There are: quick, folder"),
        (["measure", "system.facts", "--with", "quick=true"], "--with quick: no such parameter"),
        (["measure", "boot.distribution", "--with", "a=1"], "There are: none"),
        (["measure", "disk.dd", "--with", "quick"], "--with quick: give PARAMETER=VALUE"),
        (["measure", "disk.dd", "--with", "=1"], "--with =1: give PARAMETER=VALUE"),
        (["measure", "disk.dd", "--with", "quick=5"], "quick is 5; give true or false"),
        (["measure", "disk.dd", "--with", "folder=5"], "folder is 5; give text"),
        (["measure", "boot", "--with", "boots=many"], "boots is 'many'; give a number"),
        (
            ["measure", "disk.dd", "--with", "quick=true", "--with", "quick=false"],
            "--with quick: it is given more than once",
        ),
        (["measure", "boot", "--board", "verdx"], 'did you mean "verdex"?'),
        (["measure", "boot", "--board", "verdex", "--target", "local"], "--target"),
        (["measure", "--time", "0"], "is not a number of seconds"),
    ],
)
def test_what_is_wrong_is_said(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == 2
    printed = capsys.readouterr()
    assert said in printed.err and not printed.out


DONE = Measurement(measure="disk.dd", short="fast")
NO_FLASH = ProbeProcess(probe="flash.read", round=0, elapsed_s=0.0, refused="no raw flash")


@pytest.mark.parametrize(
    ("rows", "named", "code"),
    [
        ([DONE], (), 0),
        ([DONE, Measurement(measure="a", reason="no")], (), 5),
        ([Measurement(measure="a", reason="it broke down", failed=True)], (), 4),
        # A set takes the probes that the target has.
        ([Measurement(measure="flash.read", reason="no raw flash")], (), 0),
        ([Measurement(measure="flash.read", reason="no raw flash")], ("flash.read",), 5),
    ],
)
def test_less_measured_than_asked_is_said_by_the_exit_code(
    rows: list[Measurement], named: tuple[str, ...], code: int, homes: Path
) -> None:
    result = MeasuresResult(measurements=tuple(rows), processes=(NO_FLASH,))
    run = make_run(study="measure", boots=(), results=(result,), verdicts=(), headline=None)
    folder = homes / "data" / "perfboard" / "runs" / run.id
    (folder / "artifacts").mkdir(parents=True)
    (folder / "run.json").write_text(run.to_json())
    assert finish(run, True, named) == code
