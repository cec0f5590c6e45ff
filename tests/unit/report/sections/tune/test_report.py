# SPDX-License-Identifier: Apache-2.0
"""What the report and the terminal show of a tune."""

import csv
import io
import json
import re

import pytest
from pydantic import ValidationError

from perfboard.analysis.compare.comparison import compare
from perfboard.analysis.tune.combinations import PROOF_LABELS
from perfboard.model.results.tune import Try, TuneResult
from perfboard.model.run import Metric, Run, Status
from perfboard.report.export.choose import export
from perfboard.report.export.formats import FORMATS, OF_GUIDES
from perfboard.report.html import render
from perfboard.report.sections.tune.page import tuning_view
from perfboard.report.sections.tune.rows import head_sentence, search_sentence, single_rows
from perfboard.report.text import run_text
from tests.support.runs import make_boot, make_run
from tests.support.tuned_runs import make_tune, make_tuned


def test_the_head_says_from_what_to_what() -> None:
    text = head_sentence(make_tuned(), make_tune())
    assert text == "From 1.543 s to 1.383 s: 10.4% less, with console=quiet flash=cached"


def test_the_search_says_how_far_the_best_may_be() -> None:
    assert "Exhaustive: all 4 combinations" in search_sentence(make_tune())
    bounded = search_sentence(make_tune(exhaustive=False, combinations=5000, bound_s=1.3))
    assert "4 of 5,000 combinations were booted" in bounded
    assert "at most 83.21 ms above 1.300 s" in bounded


def test_each_level_alone_with_what_was_refused() -> None:
    rows = single_rows(make_tune())
    assert [(row.factor, row.level) for row in rows] == [
        ("console", "quiet"),
        ("flash", "cached"),
        ("root", "axfs"),
        ("root", "bad"),
    ]
    assert rows[0].phases == "kernel execution \N{MINUS SIGN}100.00 ms"
    assert rows[0].note == "loses messages on the console"
    assert rows[2].note == "refused: not in mainline"
    assert rows[3].note.startswith("not booted: a")


def test_the_terminal_has_80_columns_and_the_lines_to_change() -> None:
    text = run_text(make_tuned())
    assert max(map(len, text.splitlines())) <= 80
    for words in ("kernel command line:", "+ quiet", "- a = 1", "+ a = 2", "loses messages"):
        assert words in text
    assert "root=axfs: refused: not in mainline" in text
    assert "The limit is 300.0 ms" in text


def test_the_terminal_has_the_notes() -> None:
    run = make_tuned()
    note = "flash=tuned was not read: the target said nothing for 60 s, while flash.read ran there"
    noted = run.provenance.model_copy(update={"notes": (note,)})
    text = run_text(run.model_copy(update={"provenance": noted}))
    assert note in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_the_report_has_all_charts_and_escapes_what_it_shows() -> None:
    html = render(make_tuned())
    for title in (
        "What to change",
        "Each level by itself",
        "Before and after",
        "Time over flash",
        "Published, and measured here",
    ):
        assert f"<h2>{title}</h2>" in html
    assert html.index('aria-label="Savings of each level by phase') < html.index("What to change")
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(set(ids)) == len(ids)
    assert render(make_tuned()) == html


def test_a_tune_that_was_interrupted_has_a_report_too() -> None:
    tune = make_tune()
    for tries, tried in ((tune.tries[:1], tune.tried[:1]), ((), ())):
        cut = make_tune(best=None, tries=tries, tried=tried)
        run = make_tuned(cut, status=Status.ABORTED, boots=(), metrics=())
        assert "Nothing to advise" in render(run)
        assert "Nothing to advise" in run_text(run)


@pytest.mark.parametrize("format", sorted({*FORMATS} - {*OF_GUIDES}))
def test_it_is_exported(format: str) -> None:
    text = export(make_tuned(), format)
    assert text
    if format == "csv":
        assert [row["boot"] for row in csv.DictReader(io.StringIO(text))]
    elif format not in ("openmetrics", "vcd", "markdown", "lava"):
        json.loads(text)


def test_it_is_compared_with_a_boot_study() -> None:
    comparison = compare(make_run(), make_tuned())
    assert comparison.words.startswith("boot.total fell by")


def test_it_is_stored_whole() -> None:
    run = make_tuned()
    assert Run.model_validate_json(run.to_json()) == run


@pytest.mark.parametrize("boot", [4, -1])
def test_a_try_whose_boot_there_is_not_is_refused(boot: int) -> None:
    record = json.loads(make_tuned().to_json())
    record["results"][1]["tries"][0]["boot"] = boot
    with pytest.raises(ValidationError, match="which is no boot"):
        Run.model_validate_json(json.dumps(record))


def test_a_run_of_somebody_else_without_the_boots_it_speaks_of_is_shown() -> None:
    beside = [each.model_copy(update={"beside": (9, 9)}) for each in make_tune().tries]
    proof = Metric(name="boot.total", unit="s", labels=PROOF_LABELS, samples=())
    run = make_tuned(make_tune(tries=tuple(beside)), metrics=(*make_tuned().metrics, proof))
    run = Run.model_validate_json(run.to_json())
    assert "console" in run_text(run) and "console" in render(run)


def test_a_best_that_is_no_try_is_refused() -> None:
    with pytest.raises(ValidationError, match="which is no try"):
        TuneResult(titles={}, start={}, best=0)
    assert TuneResult(titles={}, start={}, tries=(Try(stage="start", outcome="booted"),), best=0)


def test_levels_that_cost_more_than_any_saves_are_not_drawn() -> None:
    more = [
        Try(levels={"baud": level}, stage="alone", outcome="booted", boot=boot)
        for level, boot in (("same", 0), ("slow", 4), ("slower", 5))
    ]
    late = (make_boot({"usable": 90_000_000}), make_boot({"usable": 110_000_000}))
    tune = make_tune()
    tune = make_tune(tries=(*tune.tries, *more), tried=(*tune.tried, *late))
    view = tuning_view(make_tuned(tune), tune)
    (_, wide), _ = view.bars
    assert [text.text for text in wide.labels] == ["console=quiet", "flash=cached", "baud=slow"]
    assert "baud" in {row.factor for row in view.singles if row.level == "slower"}


def test_the_flash_has_a_line_for_each_set_up() -> None:
    read = [
        Metric(
            name="flash.read.bandwidth",
            unit="B/s",
            labels={"device": "root", "size": str(size), "flash": level},
            better="higher",
            samples=(speed * size / (size + 100),),
        )
        for level, speed in (("tuned", 1.9e6), ("cached", 1.9e7))
        for size in (512, 4096, 32768)
    ]
    run, tune = make_tuned(), make_tune()
    view = tuning_view(run.model_copy(update={"metrics": (*run.metrics, *read)}), tune)
    assert view.flash is not None
    assert [line.label for line in view.flash.graph.lines] == [
        "root, flash tuned",
        "root, flash cached",
    ]
    assert tuning_view(run, tune).flash is None
