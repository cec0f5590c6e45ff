# SPDX-License-Identifier: Apache-2.0
"""How far a timed board's numbers may be wrong, wherever they are shown."""

import json
from typing import Any

import pytest

from perfboard.analysis.compare.comparison import compare
from perfboard.analysis.statistics.summary import judge
from perfboard.model.run import BoardSummary, Evidence, Metric, Outcome
from perfboard.model.timed_as import SEVERAL, StatedMargin, TimedAs
from perfboard.model.work import CLASSES
from perfboard.report.comparison import comparison_text
from perfboard.report.export import bencher
from perfboard.report.export.choose import export
from perfboard.report.export.googlebenchmark import benchmarks
from perfboard.report.export.openmetrics import exposition
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.report.words.evidence import evidence_label, timing_words
from tests.support.runs import make_metric as metric
from tests.support.runs import make_run


def shares(share: float) -> dict[str, StatedMargin]:
    return {work: StatedMargin(share=share, rows=9) for work in (*CLASSES, SEVERAL)}


def timed_run(**fields: Any) -> Any:
    board = BoardSummary(
        name="verdex",
        title="V",
        description="D",
        timed_as=TimedAs(part="XScale at 400 MHz", margin_source="rows", margins=shares(0.25)),
    )
    return make_run(board=board, evidence=Evidence.TIMED, **fields)


def test_a_timed_run_shows_its_margin_and_what_is_extrapolated() -> None:
    run = timed_run()
    assert evidence_label(run) == "timed ±25%"
    words = timing_words(run)
    assert "Timed as XScale at 400 MHz" in words and "By rows" in words
    assert "Extrapolated" in words and "boot.*" in words
    for text in (run_text(run), render(run)):
        assert "timed ±25%" in text and "Extrapolated" in text


def test_no_margin_stands_beside_what_the_model_leaves_out() -> None:
    metrics = (metric("ipc.switch", 1e-5), metric("cpu.clock", 2.0))
    run = timed_run(metrics=metrics)
    reason = "each switch cleans the part's caches"
    timed_as = run.board.timed_as.model_copy(update={"left_out": {"ipc.switch": reason}})
    run = run.model_copy(
        update={"board": run.board.model_copy(update={"timed_as": timed_as}), "results": ()}
    )
    assert f"Not modelled, so that no margin covers them: ipc.switch ({reason})" in timing_words(
        run
    )
    assert "Extrapolated" in timing_words(run)
    lines = {line.split()[0]: line for line in run_text(run).splitlines() if line[:1].isalpha()}
    assert "(not modelled)" in lines["ipc.switch"] and "(not modelled)" not in lines["cpu.clock"]
    page = render(run)
    rows = page[page.index("<tbody>", page.index("Every sample as it")) :].split("</tr>")
    assert "timed, not modelled" in rows[0] and "±" not in rows[0]
    assert "timed ±25%" in rows[1]
    exported = [line.split(",") for line in export(run, "csv").splitlines()]
    assert [row[-1] for row in exported] == ["margin", *([""] * 3), *(["0.25"] * 3)]
    assert "upper_value" not in json.loads(bencher.metrics(run))["ipc.switch"]["latency"]


def test_a_size_has_no_margin_in_the_report() -> None:
    size = Metric(name="image.kernel.size", unit="B", samples=(8,))
    page = render(timed_run(metrics=(metric("cpu.clock", 2.0), size)))
    rows = page[page.index("<tbody>", page.index("Every sample as it")) :].split("</tr>")
    assert ["±25%" in row for row in rows[:2]] == [True, False]


def test_exports_have_the_margin_of_what_is_timed() -> None:
    metrics = (metric("cpu.clock", 2.0), Metric(name="image.kernel.size", unit="B", samples=(8,)))
    timed, counted = timed_run(metrics=metrics), make_run(metrics=metrics)
    found = json.loads(bencher.metrics(timed))
    latency = {"value": 2e9, "lower_value": 1.6e9, "upper_value": 2.5e9}
    assert found["cpu.clock"]["latency"] == latency
    exact = json.loads(bencher.metrics(counted))
    assert exact["cpu.clock"]["latency"]["upper_value"] == 2e9
    assert found["image.kernel.size"] == exact["image.kernel.size"]
    assert json.loads(benchmarks(timed))["context"]["perfboard_margin"] == 0.25
    assert "perfboard_margin" not in json.loads(benchmarks(counted))["context"]
    assert 'margin="0.25"' in exposition(timed) and "margin" not in exposition(counted)
    rows = [line.split(",") for line in export(timed, "csv").splitlines()]
    assert [row[-1] for row in rows] == ["margin", "0.25", "0.25", "0.25", ""]
    assert export(counted, "csv").splitlines()[1].endswith(",")


def test_a_comparison_has_the_margin_of_what_is_timed() -> None:
    timed = timed_run(metrics=(metric("cpu.clock", 2.0),))
    assert "each time ±25%" in comparison_text(compare(timed, timed))
    counted = make_run()
    assert "±" not in comparison_text(compare(counted, counted)).splitlines()[0]


def test_other_runs_have_no_margin() -> None:
    assert evidence_label(make_run()) == "counted"
    assert timing_words(make_run()) == ""
    assert "±25%" not in run_text(make_run())


@pytest.mark.parametrize(
    ("budget", "outcome"),
    [
        (1.26, Outcome.PASS),
        (1.2, Outcome.INCONCLUSIVE),
        (0.81, Outcome.INCONCLUSIVE),
        (0.7, "fail"),
    ],
)
def test_a_verdict_takes_the_margin_into_account(budget: float, outcome: str) -> None:
    verdict = judge(metric("boot.total", 1.0), budget, Evidence.TIMED, 0.25)
    assert verdict.outcome == outcome
    assert (verdict.value, verdict.low, verdict.high) == (1.0, 0.8, 1.25)
    if outcome == Outcome.INCONCLUSIVE:
        assert "straddles" in run_text(timed_run(verdicts=(verdict,)))


def test_of_many_that_are_extrapolated_it_is_told_how_many() -> None:
    families = "flash", "memory", "kernel", "ipc", "file", "cpu", "system"
    others = tuple(metric(f"{family}.{letter}", 1.0) for family in families for letter in "ab")
    times = tuple(metric(f"boot.step{number}", 1.0) for number in range(12))
    run = timed_run(metrics=(*others, *times, metric("boot.total", 9.0)))
    board = run.board.model_copy(
        update={"timed_as": run.board.timed_as.model_copy(update={"checked": {"boot.total": None}})}
        if run.board.timed_as
        else {}
    )
    words = timing_words(run.model_copy(update={"board": board}))
    told = ", ".join(f"{family}.*" for family in families)
    assert words.endswith(f"reaches them: {told}, 12 of 13 boot.*.")


def checked_run(checked: dict[str, None], *metrics: Metric, **margins: float) -> Any:
    run = timed_run(metrics=metrics)
    own = {work: StatedMargin(share=share, rows=9) for work, share in margins.items()}
    update = {"checked": checked, "margins": shares(0.25) | own}
    timed_as = run.board.timed_as.model_copy(update=update)
    board = run.board.model_copy(update={"timed_as": timed_as})
    return run.model_copy(update={"board": board, "results": ()})


def test_what_is_extrapolated_has_no_margin_of_what_was_checked() -> None:
    run = checked_run({"boot.total": None}, metric("boot.total", 1.0), metric("boot.delay", 0.5))
    assert evidence_label(run, "boot.total") == "timed ±25%"
    assert evidence_label(run, "boot.delay") == "timed, extrapolated"
    # A table of both has no margin at its head; the foot says which has none.
    assert "±25%" not in run_text(run)
    assert "Extrapolated, so that no margin covers them" in " ".join(run_text(run).split())
    page = render(run)
    rows = page[page.index("<tbody>", page.index("Every sample as it")) :].split("</tr>")
    assert "timed ±25%" in rows[0]
    assert "timed, extrapolated" in rows[1] and "±" not in rows[1]


def test_a_size_that_no_figure_reaches_is_extrapolated_too() -> None:
    sizes = [
        metric("memory.random", 1e-8).model_copy(update={"labels": {"size": f"{n}"}})
        for n in (1024, 4096)
    ]
    run = checked_run({"memory.random": (512, 2048)}, *sizes)  # type: ignore[dict-item]
    found = [evidence_label(run, each) for each in sizes]
    assert found == ["timed ±25%", "timed, extrapolated"]
    assert evidence_label(run, "memory.random") == "timed"


def test_head_and_foot_state_the_margin_of_one_class_of_work() -> None:
    run = checked_run({"memory.random": None}, metric("memory.random", 1e-8), memory=0.6)
    verdict = judge(run.metrics[0], 1e-9, Evidence.TIMED, 0.6)
    text = run_text(run.model_copy(update={"verdicts": (verdict,)}))
    assert "timed ±60%" in text.splitlines()[0] and "timed ±25%" not in text
    assert "memory 60%" in " ".join(text.split())


def test_a_verdict_on_what_is_extrapolated_says_whose_margin_it_takes() -> None:
    run = checked_run({"cpu.clock": None}, metric("boot.total", 1.0))
    verdict = judge(run.metrics[0], 1.1, Evidence.TIMED, 0.25)
    text = " ".join(run_text(run.model_copy(update={"verdicts": (verdict,)})).split())
    assert "after reset (timed, extrapolated), but with the margin of what was checked" in text
    assert "800.0 ms to 1.250 s" in text
