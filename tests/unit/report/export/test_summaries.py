# SPDX-License-Identifier: Apache-2.0
"""A run as a Markdown summary, and as LAVA's lines."""

import re
from pathlib import Path

from perfboard.model.results.limits import LimitPart, LimitsResult
from perfboard.model.run import Outcome, RunError, Verdict
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
