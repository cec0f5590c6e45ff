# SPDX-License-Identifier: Apache-2.0
"""A gate's judgement in all its formats."""

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from perfboard.analysis.gate.change import Rules
from perfboard.analysis.gate.judge import Judgement, judge
from perfboard.cli.arguments import make_parser
from perfboard.model.run import Evidence, Metric, Run
from perfboard.report.gate.formats import GATE_FORMATS
from tests.support.runs import make_boot, make_metric, make_run

EVIL = "a\x1b[31m\u202e|`<script>%0A::error::\n"


def booted(id: str, changes: dict[str, int] | None = None, **fields: Any) -> Run:
    return make_run(id, boots=(make_boot(changes),), **fields)


def worse(**rules: Any) -> Judgement:
    return judge(booted("run", {"init.exec": 90_000_000}), [booted("base")], "x", Rules(**rules))


def _suite(judgement: Judgement) -> ElementTree.Element:
    return ElementTree.fromstring(GATE_FORMATS["junit"](judgement))[0]  # noqa: S314


def test_the_command_knows_all_formats() -> None:
    for name in GATE_FORMATS:
        assert make_parser().parse_args(["gate", "--format", name]).format == name


def test_the_text_begins_with_the_answer_and_names_what_did_it() -> None:
    text = GATE_FORMATS["text"](worse())
    assert text.startswith("WORSE: boot.total rose by 90.00 ms (+5.8%), from 1.543 s to 1.633 s;")
    assert "boot.root.mount" in text and "no difference is due to chance" in text
    assert max(map(len, text.splitlines())) <= 80


def test_junit_fails_where_it_got_worse_and_skips_what_is_unknown() -> None:
    suite = _suite(worse(patterns=("boot.*",)))
    assert suite.tag == "testsuite"
    cases = {case.get("name"): case for case in suite}
    assert suite.get("tests") == str(len(cases))
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    assert {"boot.total", "boot.root.mount"} <= failed
    assert suite.get("failures") == str(len(failed))
    assert cases["boot.bootloader"].find("failure") is None

    def run(id: str, *samples: float) -> Run:
        metric = Metric(name="cpu.a", unit="s", samples=samples)
        return make_run(id, headline=None, metrics=(metric,), evidence=Evidence.HOST)

    unknown = judge(run("run", 1.0), [run("base", 1.0)], "x", Rules())
    suite = _suite(unknown)
    assert (suite.get("skipped"), suite.get("failures")) == ("1", "0")
    five = [run(f"r{value}", value) for value in (1.0, 1.01, 0.99)]
    said = replace(unknown, by_last=judge(run("run", 2.0), five, "the last", Rules()))
    (skipped,) = _suite(said).iter("skipped")
    assert "`--baseline 'last 5'` finds: WORSE: cpu.a rose" in skipped.get("message", "")
    first = judge(booted("run"), [], "there is none", Rules())
    suite = _suite(first)
    assert (suite.get("tests"), suite.get("skipped"), len(suite)) == ("1", "1", 1)
    (skipped,) = suite.iter("skipped")
    assert skipped.get("message") == "NOT COMPARED: there is none."


@pytest.mark.parametrize("name", GATE_FORMATS)
def test_what_a_stranger_wrote_stays_text(name: str) -> None:
    metrics = [(make_metric("cpu.a", value, level=EVIL),) for value in (1.0, 2.0)]
    sides = [make_run(f"r{i}", headline=None, metrics=each) for i, each in enumerate(metrics)]
    judgement = judge(sides[1], [sides[0]], EVIL, Rules())
    text = GATE_FORMATS[name](judgement)
    assert not {"\x1b", "\u202e"} & set(text)
    assert "<script>" not in text or name in ("text", "github")
    if name == "github":
        # A command is one line, and there is one.
        assert text.count("\n") == 1 and text.startswith("::error title=")
    if name == "junit":
        assert len(_suite(judgement)) == 1


def test_github_names_an_error_a_warning_or_a_notice() -> None:
    title, _, words = GATE_FORMATS["github"](worse()).partition("::WORSE: ")
    assert title == "::error title=perfboard gate%3A boot of verdex"
    assert words.startswith("boot.total rose by 90.00 ms (+5.8%25)")
    first = judge(booted("run"), [], "there is none", Rules())
    assert GATE_FORMATS["github"](first).startswith("::notice ")
