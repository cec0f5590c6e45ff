# SPDX-License-Identifier: Apache-2.0
"""The boot study of a virtual board, whose boots a fake makes."""

import shlex
from pathlib import Path

import pytest

from perfboard.bench.request import Request
from perfboard.model.budget import parse_limits
from perfboard.model.options import declared
from perfboard.model.run import Evidence, Outcome
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.studies.boot.study import STUDY, BootOptions
from tests.support.html import Reader
from tests.support.lab import FakeLab

MAKEFILE = Path(__file__).parents[4] / "Makefile"


def request_of(**levels: str) -> Request:
    return Request("virtual:verdex", levels, ("perfboard", "study", "boot"))


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def test_a_board_with_a_timing_model_is_timed(tmp_path: Path) -> None:
    run = STUDY.run(request_of(), BootOptions(boots=1), FakeLab(tmp_path).lab())
    assert (run.evidence, run.factors["detail"]) == (Evidence.TIMED, "timed")
    assert run.timed and run.timed.several.share
    assert [verdict.outcome for verdict in run.verdicts] == [Outcome.PASS]
    assert run.no_verdicts == ()


def test_counted_boots_have_no_verdict_in_seconds(tmp_path: Path) -> None:
    run = STUDY.run(request_of(detail="counted"), BootOptions(boots=1), FakeLab(tmp_path).lab())
    assert (run.evidence, run.timed, run.verdicts) == (Evidence.COUNTED, None, ())
    (missing,) = run.no_verdicts
    assert (missing.metric, missing.budget) == ("boot.total", 3.356)
    for text in (" ".join(run_text(run).split()), Reader(render(run)).text):
        assert "boot.total was not held against the budget of 3.356 s: counted" in text
        assert "use --set detail=timed." in text
        assert "no limit given" not in text and "PASS" not in text.upper()


def test_make_study_shows_seconds_of_a_known_board() -> None:
    recipe = MAKEFILE.read_text().partition("\nstudy:")[2].partition("\n\n")[0]
    (line,) = (line for line in recipe.splitlines() if "perfboard study" in line)
    words = shlex.split(line.partition("||")[0])
    assert words[1:] == ["study", "boot", "--board", "rpi2"]


def test_phases_are_held_against_budgets_of_their_own(tmp_path: Path) -> None:
    parse = next(of.parse for each, of in declared(BootOptions) if each.name == "budget")
    limits = parse(["boot.total <= 9 s", "boot.kernel.init <= 1 ms", "boot.userspace.web <= 1 s"])
    run = STUDY.run(request_of(), BootOptions(boots=1, budget=limits), FakeLab(tmp_path).lab())
    outcomes = {verdict.metric: verdict.outcome for verdict in run.verdicts}
    assert outcomes == {"boot.total": Outcome.PASS, "boot.kernel.init": Outcome.FAIL}
    assert [none.metric for none in run.no_verdicts] == ["boot.userspace.web"]
    # As --budget-s had it.
    (plain,) = parse(["3"])
    assert (plain.metric, plain.budget.value) == ("boot.total", 3.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("boot.total <= 3 B", "is not in a unit of boot.total, which is s, ms"),
        ("disk.dd.bandwidth <= 3 s", 'nothing here gives a metric "disk.dd.bandwidth"'),
    ],
)
def test_a_budget_of_something_else_is_refused(text: str, said: str) -> None:
    (line,) = STUDY.check(request_of(), BootOptions(budget=parse_limits([text])))
    assert line.startswith(f"--budget {text}: ") and said in line


def test_a_budget_may_be_of_a_size() -> None:
    limits = parse_limits(["image.kernel.size <= 3 MiB"])
    assert STUDY.check(request_of(), BootOptions(budget=limits)) == []
