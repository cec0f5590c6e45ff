# SPDX-License-Identifier: Apache-2.0
"""What was published of a board, beside what a tune of it measured."""

from typing import Any

import pytest

from perfboard.boards.loader import load_board
from perfboard.model.results.tune import PublishedChange, PublishedTuneBoot, Try
from perfboard.report.html import render
from perfboard.report.sections.tune.parts import part_tables
from perfboard.report.sections.tune.published import (
    PublishedTuneRow,
    published_rows,
    start_sentence,
)
from perfboard.report.text import run_text
from tests.support.runs import make_boot
from tests.support.tuned_runs import make_tune, make_tuned


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
        source="the boot study of 2009",
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
        start={**tune.start, "console": "quiet"},
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
    tune = make_tune(start={**tune.start, "delay": "timer"}, published=published)
    sentence = (
        "This tune starts elsewhere than some published changes do: delay=timer, where one starts "
        "from calibrated; what all changes make together is from the start of this tune."
    )
    assert start_sentence(tune) == sentence
    assert sentence in render(make_tuned(tune))
    assert sentence in " ".join(run_text(make_tuned(tune)).split())


def _silent(**change: Any) -> PublishedTuneRow:
    """The row of a console that takes 0.1 s here, from a kernel of 2,000,000 bytes."""
    silent = {"title": "Silent", "metric": "boot.total", "factor": "console", "new": "quiet"}
    published = PublishedChange(**silent, source="the boot study", **{"before": 0.3, **change})
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


def test_what_the_start_has_already_was_not_tried() -> None:
    tune = make_tune(start={**make_tune().start, "console": "quiet"})
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
        PublishedTuneBoot(title=level, factor="kernel", level=level, size=1 << 20, times=times)
        for level in ("xip", "copied")
    ]
    lacking = boots[0].model_copy(update={"times": {"boot.kernel.load": 0.1}})
    other = Try(levels={"kernel": "flash"}, stage="alone", outcome="booted", boot=1)
    tune = make_tune()
    tune = make_tune(
        start={**tune.start, "kernel": "copied"},
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
