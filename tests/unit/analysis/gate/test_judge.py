# SPDX-License-Identifier: Apache-2.0
"""Runs judged against their baselines."""

import re
from typing import Any

import pytest

from perfboard.analysis.gate.causes import ChangeCause
from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import Judgement, judge
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Span
from perfboard.model.results.program import FunctionTime, ProgramResult
from perfboard.model.run import Evidence, Metric, Run, Status
from tests.support.runs import make_boot, make_metric, make_run

BASE = make_run("base", boots=(make_boot(),))


def booted(changes: dict[str, int] | None = None, **fields: Any) -> Run:
    return make_run("run", boots=(make_boot(changes),), **fields)


def judged(run: Run, *baseline: Run, **rules: Any) -> Judgement:
    return judge(run, baseline or (BASE,), "", Rules(**rules))


def test_a_nanosecond_fails_where_nothing_more_is_allowed() -> None:
    assert judged(booted(), fail_above=0.0).level is GateLevel.SAME
    found = judged(booted({"init.exec": 1}), fail_above=0.0)
    assert found.level is GateLevel.WORSE
    (finding,) = found.findings
    assert finding.metric == "boot.total"
    assert round(finding.difference * 1e9) == 1
    assert [(each.kind, each.name) for each in found.causes] == [("phase", "boot.root.mount")]


def test_what_is_allowed_is_allowed() -> None:
    # 0.5% of 1.543 s is 7.7 ms.
    assert judged(booted({"init.exec": 7_000_000})).level is GateLevel.SAME
    assert judged(booted({"init.exec": 8_000_000})).level is GateLevel.WORSE
    assert judged(booted({"init.exec": 8_000_000}), fail_above=0.01).level is GateLevel.SAME
    assert judged(booted({"init.exec": -8_000_000})).level is GateLevel.BETTER


def test_boots_are_compared_in_their_order() -> None:
    boots = (make_boot(), make_boot({"init.exec": 50_000_000}))
    three = make_run("three", boots=boots)
    assert judged(make_run("again", boots=boots), three, fail_above=0.0).level is GateLevel.SAME
    found = judged(make_run("other", boots=boots[::-1]), three)
    assert found.level is GateLevel.INCONCLUSIVE
    assert found.findings[0].reason == "the boots differ by more than the change"


def _slower(spans: tuple[Span, ...]) -> Boot:
    return make_boot({"kernel.prepare_namespace": 100_000_000}, spans=spans)


def test_the_phase_and_the_initcall_that_did_it_are_named() -> None:
    spans = make_boot().spans
    slow = spans[0].model_copy(update={"duration_ns": spans[0].duration_ns + 90_000_000})
    found = judged(make_run("run", boots=(_slower((slow, *spans[1:])),)))
    assert [(each.kind, each.name) for each in found.causes] == [
        ("phase", "boot.kernel.init"),
        ("initcall", "physmap_init"),
    ]
    assert round(found.causes[1].difference, 6) == 0.09


def _tried(seconds: float, *profile: tuple[str, float], command: str = "true") -> Run:
    functions = tuple(
        FunctionTime(name=name, file="prog", time_s=time, instructions=1) for name, time in profile
    )
    return make_run(
        f"try-{seconds:g}",
        study="try",
        headline="try.time.real",
        metrics=(make_metric("try.time.real", seconds),),
        results=(ProgramResult(command=(command,), limit_s=60, profile=functions),),
    )


def test_the_function_that_did_it_is_named() -> None:
    found = judged(_tried(1.5, ("hot", 0.9), ("new", 0.1)), _tried(1.0, ("hot", 0.5)))
    assert found.causes == (
        ChangeCause("function", "hot in prog", 0.5, 0.9),
        ChangeCause("function", "new in prog", None, 0.1),
    )


def test_what_changed_in_the_image_is_named() -> None:
    image = BASE.provenance.model_copy(update={"image": {"kernel": "cd" * 32}})
    found = judged(booted({"init.exec": 9_000_000}, provenance=image, factors={"quiet": "off"}))
    assert [each.what for each in found.changes] == ["factor quiet", "image kernel"]
    assert not judged(booted(provenance=image)).changes


def test_a_first_run_is_compared_with_nothing() -> None:
    found = judge(booted(), (), "nobody", Rules())
    assert (found.level, found.findings) == (GateLevel.UNCOMPARED, ())
    assert found.baseline_words == "nobody"


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        (make_run("other", study="standard"), "its study is standard, and that of run is boot"),
        (make_run("other", evidence=Evidence.TIMED), "its evidence is timed"),
        (
            make_run("other", board=BASE.board.model_copy(update={"name": "rpi2"})),
            "its board is rpi2, and that of run is verdex",
        ),
    ],
)
def test_another_board_study_or_evidence_is_refused(baseline: Run, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        judged(booted(), baseline)


def test_another_command_is_refused() -> None:
    with pytest.raises(UsageError, match=r"its command is true, and that of .* is false"):
        judged(_tried(1.0, command="false"), _tried(1.0))


def test_a_run_that_did_not_complete_is_not_judged() -> None:
    for status in (Status.FAILED, Status.ABORTED):
        with pytest.raises(UsageError, match=f"is {status}, so there is nothing to judge"):
            judge(booted(status=status), (), "", Rules())


def test_a_metric_that_vanished_is_inconclusive_and_named() -> None:
    two = (make_metric("cpu.a", 1.0), make_metric("cpu.b", 1.0))
    base = make_run("base", headline=None, metrics=two)
    found = judged(make_run("run", headline=None, metrics=two[:1]), base)
    assert (found.level, found.vanished) == (GateLevel.INCONCLUSIVE, ("cpu.b",))
    worse = make_run("run", headline=None, metrics=(make_metric("cpu.a", 2.0),))
    assert judged(worse, base).level is GateLevel.WORSE


def test_metrics_are_chosen_by_pattern() -> None:
    found = judged(booted(), patterns=("boot.kernel*", "boot.root.mount"))
    names = {each.metric for each in found.findings}
    assert "boot.root.mount" in names and "boot.kernel.init" in names
    assert "boot.total" not in names
    with pytest.raises(UsageError, match=re.escape("--metric nosuch: matches no metric")):
        judged(booted(), patterns=("nosuch",))


@pytest.mark.parametrize(
    ("better", "level"), [("lower", GateLevel.WORSE), ("higher", GateLevel.BETTER)]
)
def test_more_is_worse_unless_more_is_better(better: str, level: GateLevel) -> None:
    def run(value: float, evidence: Evidence) -> Run:
        samples = tuple(value * (1 + step / 1e4) for step in range(4))
        metric = Metric.model_validate(
            {"name": "cpu.a", "unit": "1/s", "better": better, "samples": samples}
        )
        return make_run(f"r{value:g}", headline=None, metrics=(metric,), evidence=evidence)

    for evidence in (Evidence.COUNTED, Evidence.HOST):
        assert judged(run(2, evidence), run(1, evidence)).level is level


def test_noise_that_hides_a_change_is_inconclusive() -> None:
    def run(id: str, *samples: float) -> Run:
        metric = Metric(name="cpu.a", unit="s", samples=samples)
        return make_run(id, headline=None, metrics=(metric,), evidence=Evidence.HOST)

    found = judged(run("run", 1.1, 0.9, 1.3), run("base", 1.2, 0.8, 1.1))
    assert found.level is GateLevel.INCONCLUSIVE
    assert found.findings[0].reason.startswith("the noise hides changes up to ")
    single = judged(run("run", 1.1), run("base", 1.0))
    reason = "a single sample, so its noise is unknown: 5 are needed"
    assert single.findings[0].reason == reason
    assert single.findings[0].noise_unknown and not found.findings[0].noise_unknown


def test_runs_of_one_sample_are_judged_by_what_differs_between_them() -> None:
    def run(id: str, *samples: float) -> Run:
        metric = Metric(name="cpu.a", unit="s", samples=samples)
        return make_run(id, headline=None, metrics=(metric,), evidence=Evidence.HOST)

    five = [run(f"base{i}", value) for i, value in enumerate((1.0, 1.01, 0.99, 1.005, 0.995))]
    assert judged(run("run", 1.11), *five).level is GateLevel.WORSE
    assert judged(run("run", 1.01), *five).level is GateLevel.INCONCLUSIVE
    assert judged(run("run", 1.01), *five, fail_above=0.2).level is GateLevel.SAME
    # One sample next to medians of several is no fair comparison.
    several = [run(f"base{i}", *[value] * 3) for i, value in enumerate((1.0, 1.01, 0.99))]
    assert judged(run("run", 1.11), *several).level is GateLevel.INCONCLUSIVE


def test_counts_that_never_vary_are_exact_on_real_boards_too() -> None:
    def run(id: str, count: float) -> Run:
        metric = Metric(name="image.kernel.size", unit="B", samples=(count,))
        return make_run(id, headline=None, metrics=(metric,), evidence=Evidence.SILICON)

    assert judged(run("run", 1010), run("base", 1000)).level is GateLevel.WORSE
    assert judged(run("run", 1000), run("base", 1000)).level is GateLevel.SAME
