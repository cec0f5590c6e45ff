# SPDX-License-Identifier: Apache-2.0
"""A run as a Markdown summary, and as LAVA's lines."""

import json
import re
from pathlib import Path

from perfboard.model.results.limits import LimitPart, LimitsResult
from perfboard.model.results.profile import ProfileResult, ProfileRow
from perfboard.model.run import Metric, NoVerdict, Outcome, RunError, Verdict
from perfboard.report.export.choose import export
from perfboard.store.reading import load_run
from tests.support.golden import unpack
from tests.support.runs import boot_results, make_boot, make_run

VERDICT = Verdict(
    metric="boot.total",
    unit="s",
    budget=1.0,
    value=1.543,
    low=1.5,
    high=1.6,
    outcome=Outcome.FAIL,
)


def test_a_summary_has_the_answer_the_phases_and_the_limits(tmp_path: Path) -> None:
    text = export(load_run(unpack("boot-verdex-limits", tmp_path)), "markdown")
    assert text.startswith("### boot on verdex: complete\n\n- **FAIL:** ")
    assert "| boot delay | 3.001 s | 0 s |" in text
    assert "| wait, bootloader | 3.001 s | 0 s |" in text
    for table in text.split("\n\n"):
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert {row.count("|") for row in rows} <= {4}


def test_a_strangers_words_are_shown_as_they_are() -> None:
    evil = "<script> [x](javascript:1) | `a` @all"
    run = make_run(errors=(RunError(kind="hang", message=evil),))
    text = export(run, "markdown")
    assert r"\<script\> \[x\](javascript:1) \| \`a\` \@all" in text
    part = LimitPart(
        phase="boot.total", title="a|b\n# c", cause="other", seconds=1, bound_s=0, why="x"
    )
    limits = LimitsResult(boot=1, total_s=1, bound_s=0, parts=(part,))
    text = export(make_run(results=(*boot_results((make_boot(),)), limits)), "markdown")
    assert r"other, a\|b \# c" in text


def test_a_run_without_boots_shows_its_metrics(tmp_path: Path) -> None:
    text = export(load_run(unpack("measure-local", tmp_path)), "markdown")
    assert "| kernel.syscall" in text.replace("\\", "")


def test_lava_takes_each_metric_as_a_test_case() -> None:
    """The form of a line is that of LAVA's own parser: words KEY=VALUE between blanks."""
    lines = export(make_run(verdicts=(VERDICT,)), "lava").splitlines()
    cases = {}
    for line in lines:
        match = re.fullmatch(r"<LAVA_SIGNAL_TESTCASE ((?:[A-Z_]+=\S+ ?)+)>", line)
        assert match is not None
        words = dict(word.split("=", 1) for word in match[1].split())
        cases[words["TEST_CASE_ID"]] = words
    total = cases["boot.total"]
    assert (total["RESULT"], total["UNITS"]) == ("fail", "s")
    assert float(total["MEASUREMENT"]) == 1.543210984
    assert cases["boot.userspace"]["RESULT"] == "pass"
    assert len(cases) == len(lines)


def test_lavas_cases_have_names_that_differ() -> None:
    """LAVA's letters make some labels alike; each figure is a case nevertheless."""
    names = ("copy/8", "copy 8", "kopie-ä", "kopie-ü", "x" * 300, "x" * 301)
    metrics = tuple(
        Metric(name="google.time", unit="s", labels={"benchmark": name}, samples=(float(at),))
        for at, name in enumerate(names)
    )
    lines = export(make_run(metrics=metrics, results=()), "lava").splitlines()
    assert len(lines) == 7
    assert len({re.sub(" RESULT=.*", "", line) for line in lines}) == 7
    assert [line for line in lines if "copy-8-2 RESULT=pass MEASUREMENT=1.0 " in line]


def test_a_verdict_on_a_profiles_row_is_exported() -> None:
    """It is on the row's name, which no metric has."""
    row = VERDICT.model_copy(update={"metric": "picture"})
    missing = NoVerdict(metric="sound", unit="s", budget=1.0, reason="nothing was measured")
    run = make_run(verdicts=(row,), no_verdicts=(missing,))
    lines = export(run, "lava").splitlines()
    case = "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID"
    assert f"{case}=picture RESULT=fail MEASUREMENT=1.543 UNITS=s>" in lines
    assert f"{case}=sound RESULT=unknown>" in lines
    tests = {test["path"]: test for test in json.loads(export(run, "kcidb"))["tests"]}
    assert tests["perfboard.boot.verdict.picture"]["status"] == "FAIL"
    gauge = [
        each for each in export(run, "openmetrics").splitlines() if "perfboard_verdict{" in each
    ]
    assert len(gauge) == 2 and 'metric="picture",outcome="fail"} 1 ' in gauge[0]
    assert 'metric="sound",outcome="not measured"} 1 ' in gauge[1]


def test_a_failed_row_s_own_metric_leaves_as_failed_by_its_labels() -> None:
    """Also a row that should pass; a metric of another label is as it was measured."""
    metrics = tuple(
        Metric(name="work.time", unit="s", labels={"size": size}, samples=(1.0,))
        for size in ("small", "large")
    )
    row = ProfileRow(
        name="picture",
        question="Is it fast?",
        weight="should",
        metric="work.time",
        labels={"size": "large"},
        unit="s",
        budget=0.5,
        budget_text="<= 0.5 s",
        least=False,
        outcome="fail",
        value=1.0,
        low=1.0,
        high=1.0,
    )
    result = ProfileResult(
        profile="box",
        device="A box",
        audience="us",
        currency="EUR",
        outcome="not measured",
        rows=(row,),
    )
    run = make_run(study="profile", metrics=metrics, results=(result,))
    lines = export(run, "lava")
    assert "perfboard-profile RESULT=unknown>" in lines
    assert "=picture RESULT=fail " in lines and "size-large RESULT=fail " in lines
    assert "size-small RESULT=pass " in lines
    tests = {test["id"]: test["status"] for test in json.loads(export(run, "kcidb"))["tests"]}
    assert [
        tests[f"perfboard:{run.id}:work.time{{size={size}}}"] for size in ("small", "large")
    ] == [
        "DONE",
        "FAIL",
    ]
    assert 'metric="picture",outcome="fail",weight="should"' in export(run, "openmetrics")
    assert "- **(FAIL):** picture is 1.000 s" in export(run, "markdown")


def test_a_verdict_on_a_metric_with_labels_is_of_that_metric_alone() -> None:
    metrics = tuple(
        Metric(name="work.time", unit="s", labels={"size": size}, samples=(1.0,))
        for size in ("small", "large")
    )
    verdict = VERDICT.model_copy(update={"metric": "work.time{size=large}"})
    lines = export(make_run(metrics=metrics, results=(), verdicts=(verdict,)), "lava")
    assert "size-large RESULT=fail" in lines and "size-small RESULT=pass" in lines
    assert lines.count("RESULT=fail") == 2
