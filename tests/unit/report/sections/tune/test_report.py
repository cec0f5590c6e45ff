# SPDX-License-Identifier: Apache-2.0
"""What the report and the terminal show of a tune."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from perfboard.analysis.compare.comparison import compare
from perfboard.analysis.tune.combinations import PROOF_LABELS
from perfboard.boards.loader import load_board
from perfboard.model.results.tune import PublishedBoot, PublishedChange, Try, TuneResult
from perfboard.model.run import Metric, Run, Status
from perfboard.report.charts import plot, scatter
from perfboard.report.charts.phase_bars import phase_bars
from perfboard.report.export.choose import export
from perfboard.report.export.formats import FORMATS
from perfboard.report.html import render
from perfboard.report.sections.tune.page import tuning_view
from perfboard.report.sections.tune.parts import part_tables
from perfboard.report.sections.tune.published import PublishedRow, published_rows, start_sentence
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
    assert "4 combinations were booted of 5,000, not all" in bounded
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


def test_published_savings_beside_ours() -> None:
    rows = {row.title: row for row in published_rows(make_tune())}
    assert rows["Console silent"].ratio == f"{0.1 / 0.311:.2f}"
    assert rows["All"].ratio == f"{0.16 / 1.9:.2f}"
    assert (rows["Unknown"].measured, rows["Unknown"].ratio) == ("not tried", "")


def test_phases_that_were_published_as_one_are_added_up() -> None:
    joined = PublishedChange(
        title="Root and user space",
        metric="boot.kernel.load+kernel.init",
        before=2.0,
        after=1.0,
        source="study E",
    )
    (row,) = published_rows(make_tune(published=(joined,)))
    assert row.ratio == "0.16"


def test_the_parts_of_study_es_final_table_add_up_and_are_all_found() -> None:
    techniques = load_board("verdex").board.techniques
    found = tuple(PublishedChange(**each.model_dump(exclude={"kind"})) for each in techniques)
    *parts, whole = final = [each for each in found if each.factor is None]
    assert whole.metric == "boot.total"
    assert sum(each.before for each in parts) == pytest.approx(whole.before)
    assert sum(each.after for each in parts) == pytest.approx(whole.after)
    assert all(row.ratio for row in published_rows(make_tune(published=tuple(final))))


def test_a_technique_is_from_its_own_start_whatever_the_tunes_is() -> None:
    """A tune that begins with a quiet console tells what it saves by its try with the full one."""
    techniques = load_board("verdex").board.techniques
    assert all(each.old and each.new for each in techniques if each.factor)
    (quiet,) = (each for each in techniques if each.factor == "console")
    tune = make_tune()
    tries = [
        each.model_copy(update={"levels": {"console": "full"} if not each.levels else {}})
        for each in tune.tries[:2]
    ]
    tune = make_tune(
        baseline={**tune.baseline, "console": "quiet"},
        tries=tuple(tries),
        best=None,
        published=(PublishedChange(**quiet.model_dump(exclude={"kind"})),),
    )
    (row,) = published_rows(tune)
    assert row.levels.endswith("console full \N{RIGHTWARDS ARROW} quiet")
    assert row.ratio == f"{0.1 / 0.311:.2f}"


def test_a_tune_that_starts_elsewhere_than_published_changes_says_where() -> None:
    tune = make_tune()
    assert start_sentence(tune) == ""
    silent, every, preset = tune.published
    published = (
        silent.model_copy(update={"old": "full"}),
        every,
        preset.model_copy(update={"old": "calibrated"}),
        preset.model_copy(update={"old": "calibrated", "metric": "boot.total"}),
    )
    tune = make_tune(baseline={**tune.baseline, "delay": "timer"}, published=published)
    sentence = (
        "This tune starts elsewhere than some published changes do: delay=timer, where one starts "
        "from calibrated; what all changes make together is from the start of this tune."
    )
    assert start_sentence(tune) == sentence
    assert sentence in render(make_tuned(tune))
    assert sentence in " ".join(run_text(make_tuned(tune)).split())


def _silent(**change: Any) -> PublishedRow:
    """The row of a console that takes 0.1 s here, from a kernel of 2,000,000 bytes."""
    silent = {"title": "Silent", "metric": "boot.total", "factor": "console", "new": "quiet"}
    published = PublishedChange(**silent, source="study E", **{"before": 0.3, **change})
    tries = [
        each.model_copy(update={"flash": {**each.flash, "kernel": 2_000_000}})
        for each in make_tune().tries
    ]
    (row,) = published_rows(make_tune(published=(published,), tries=tuple(tries)))
    return row


def test_a_saving_that_grows_with_the_kernel_is_scaled_to_the_published_ones_size() -> None:
    row = _silent(after=0.25, kernel_size=1_000_000)
    assert (row.ratio, row.note) == ("1.00", "")
    assert row.scaled.endswith("50.00 ms for a kernel of 1,000,000 bytes")


def test_what_the_baseline_has_already_was_not_tried() -> None:
    tune = make_tune(baseline={**make_tune().baseline, "console": "quiet"})
    row = next(row for row in published_rows(tune) if row.title == "Console silent")
    assert (row.measured, row.ratio, row.note) == ("not tried", "", "")


def test_a_saving_that_is_far_off_is_explained() -> None:
    assert _silent(after=0.179, differs="More is printed.").note == ""
    assert _silent(after=0.16, differs="More is printed.").note == "More is printed."
    assert _silent(after=0.1).note == "Why it is so far off is not known."


def test_root_file_systems_in_study_es_parts() -> None:
    tune = make_tune()
    assert list(part_tables(tune)) == []
    other = Try(
        levels={"root": "romfs"}, stage="alone", outcome="booted", boot=4, flash={"root": 1 << 20}
    )
    late = make_boot({"exec:S70copy": 1_000_000})
    tune = make_tune(tries=(*tune.tries, other), tried=(*tune.tried, late))
    (table,) = part_tables(tune)
    base, romfs = table.rows
    assert (base.name, romfs.name, romfs.size) == ("squashfs", "romfs", "1 MiB")
    # The copy's start is the application's end.
    assert base.times == ("14.78 ms", "347.4 ms", "126.5 ms", "45.18 ms", "533.9 ms")
    assert romfs.times[2] == "127.5 ms"
    assert "Root file systems" in render(make_tuned(tune))


def test_what_was_published_of_a_level_stands_below_it_or_alone() -> None:
    times = {"boot.kernel.load": 0.73, "boot.kernel.init": 0.275, "boot.root.mount+userspace": 0.7}
    boots = [
        PublishedBoot(title=level, factor="kernel", level=level, size=1 << 20, times=times)
        for level in ("xip", "copied")
    ]
    lacking = boots[0].model_copy(update={"times": {"boot.kernel.load": 0.1}})
    other = Try(levels={"kernel": "flash"}, stage="alone", outcome="booted", boot=1)
    tune = make_tune()
    tune = make_tune(
        baseline={**tune.baseline, "kernel": "copied"},
        tries=(*tune.tries, other),
        published_boots=(*boots, lacking),
    )
    (table,) = part_tables(tune)
    found = [(row.name, row.of) for row in table.rows]
    assert found == [
        ("copied", ""),
        ("copied", "published: copied"),
        ("flash", ""),
        ("xip", "published: xip"),
    ]
    assert table.rows[1].times == ("730.0 ms", "275.0 ms", "700.0 ms", "1.705 s")
    assert table.rows[1].size == "1 MiB"
    assert "published: xip" in render(make_tuned(tune))


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
        "Savings by phase",
        "Each level by itself",
        "Before and after",
        "Time over flash",
        "Published, and measured here",
    ):
        assert f"<h2>{title}</h2>" in html
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


@pytest.mark.parametrize("format", FORMATS)
def test_it_is_exported(format: str) -> None:
    text = export(make_tuned(), format)
    assert text
    if format == "csv":
        assert [row["boot"] for row in csv.DictReader(io.StringIO(text))]
    elif format != "openmetrics":
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
        TuneResult(titles={}, baseline={}, best=0)
    assert TuneResult(
        titles={}, baseline={}, tries=(Try(stage="baseline", outcome="booted"),), best=0
    )


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


def test_bars_of_gains_and_losses_meet_at_zero() -> None:
    titles = {"a": "first", "b": "second"}
    drawing = phase_bars([("one", {"a": 0.2, "b": -0.1})], titles, plot.WIDE)
    gain, loss = drawing.pieces
    assert gain.x == pytest.approx(drawing.zero)
    assert loss.x + loss.width == pytest.approx(drawing.zero)
    assert gain.width == pytest.approx(2 * loss.width)


def test_bars_of_nothing_have_no_pieces() -> None:
    assert phase_bars([("one", {"a": 0.0})], {"a": "first"}, plot.NARROW).pieces == ()


def test_the_front_is_numbered_from_the_smallest() -> None:
    points = [
        scatter.Point(3 << 20, 1.0, "large and fast"),
        scatter.Point(1 << 20, 2.0, "small and slow"),
        scatter.Point(3 << 20, 3.0, "beaten"),
    ]
    drawing = scatter.scatter(points, ("size", "time"), plot.WIDE)
    assert [point.name for point in drawing.front] == ["small and slow", "large and fast"]
    assert sorted(dot.number for dot in drawing.dots) == [0, 1, 2]
    assert drawing.x_ticks
    for dot in drawing.dots:
        assert drawing.left <= dot.x <= drawing.right
        assert drawing.top <= dot.y <= drawing.bottom


def test_one_point_alone_has_a_plane(tmp_path: Path) -> None:
    drawing = scatter.scatter([scatter.Point(100, 1.0, "only")], ("size", "time"), plot.NARROW)
    assert len(drawing.dots) == 1


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
