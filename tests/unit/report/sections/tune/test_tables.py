# SPDX-License-Identifier: Apache-2.0
"""What failed in a tune, what may not be its best, its flash, and records that are hostile."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.model.errors import CONSOLE_HEADING
from perfboard.model.results.tune import FileLines, PublishedRate, Try, TuneResult
from perfboard.model.run import Metric
from perfboard.report.charts import plot, scatter
from perfboard.report.html import render
from perfboard.report.sections.tune.flash import flash_rows
from perfboard.report.sections.tune.page import tuning_view
from perfboard.report.sections.tune.rows import failed_rows
from perfboard.report.text import run_text
from tests.support.tuned_runs import make_tune, make_tuned

from .test_compression import make_compressed


def _failing(*tries: Try) -> TuneResult:
    return make_tune(tries=(*make_tune().tries[:-1], *tries))


def test_what_failed_beside_others_is_told_with_its_last_line() -> None:
    said = "building the kernel failed (kernel.log); its last lines:\nCC a.o\nerror: b\n\n"
    panic = f"The kernel panicked.{CONSOLE_HEADING}[0.1] one\n[0.2] no init <b>found</b>\n"
    both = {"console": "quiet", "root": "bad"}
    tune = _failing(
        Try(levels={"root": "bad"}, stage="alone", outcome="not-built", problem=said, kind="build"),
        Try(levels=both, stage="order", outcome="not-booted", problem=panic, kind="panic"),
    )
    first, second = failed_rows(tune)
    assert first.message == "building the kernel failed (kernel.log); its last lines: … error: b"
    assert (second.levels, second.kind) == ("console=quiet root=bad", "not booted, panic")
    assert second.message == "The kernel panicked. … [0.2] no init <b>found</b>"
    text = run_text(make_tuned(tune))
    shown = " ".join(text.split())
    assert "did not boot or build" in shown
    assert "error: b" in shown and "no init" in shown
    assert max(map(len, text.splitlines())) <= 80
    html = render(make_tuned(tune))
    assert "<h2>Did not boot or build</h2>" in html
    assert "no init &lt;b&gt;found" in html
    assert "<h2>Did not boot or build</h2>" not in render(make_tuned(_failing()))


def test_a_place_of_lines_has_its_words_in_brackets() -> None:
    new = FileLines(where="/etc/devices.tar", words="a new file", add=("console c 5 1",))
    advice = (make_tune().advice[0].model_copy(update={"lines": (new,)}),)
    run = make_tuned(make_tune(advice=advice))
    assert "/etc/devices.tar (a new file):" in run_text(run)
    assert "/etc/devices.tar (a new file)</p>" in render(run)


def _read(level: str, size: int, speed: float) -> Metric:
    labels = {"device": "root", "size": str(size), "flash": level}
    name = "flash.read.bandwidth"
    return Metric(name=name, unit="B/s", labels=labels, better="higher", samples=(speed,))


def test_each_set_up_of_the_flash_has_what_was_published_beside_it() -> None:
    rates = (
        PublishedRate(level="tuned", value=1.9e6, use="calibration", source="the boot study"),
        PublishedRate(level="burst", value=3e6, use="held-out", source="elsewhere"),
    )
    tune = make_tune(published_rates=rates)
    read = [_read("tuned", size, speed) for size, speed in ((512, 1e6), (65536, 2e6), (4096, 3e6))]
    read += [_read("cached", 65536, 2e7)]
    whole = make_tuned(tune, metrics=tuple(read))
    tuned, cached, burst = flash_rows(whole, tune)
    assert (tuned.measured, tuned.detail, tuned.ratio) == (
        "2.000 MB/s",
        "in blocks of 64 KiB",
        "1.05",
    )
    assert (tuned.published, tuned.source) == ("1.900 MB/s", "the boot study (sets the model)")
    assert (cached.published, cached.ratio) == ("", "")
    assert (burst.measured, burst.published) == ("", "3.000 MB/s")
    assert flash_rows(make_tuned(tune), tune) == []


@given(st.permutations(range(4)))
def test_each_published_figure_stands_beside_blocks_of_its_size(order: list[int]) -> None:
    """In whatever order the board's file has them."""
    rates = [
        PublishedRate(level="slow", size=size, value=value, use="held-out", source="the boot study")
        for size, value in ((1 << 20, 1.32e6), (4096, 1.45e6), (8192, 1.5e6))
    ]
    rates.append(PublishedRate(level="never", size=1, value=1.0, use="held-out", source="b"))
    tune = make_tune(published_rates=tuple(rates[n] for n in order))
    read = (_read("slow", 1 << 20, 1.4e6), _read("slow", 4096, 1.16e6), _read("fast", 512, 2e6))
    rows = flash_rows(make_tuned(tune, metrics=read), tune)
    assert [(r.level, r.detail, r.measured, r.published, r.ratio) for r in rows] == [
        ("slow", "in blocks of 4 KiB", "1.160 MB/s", "1.450 MB/s", "0.80"),
        ("slow", "in blocks of 8 KiB", "", "1.500 MB/s", ""),
        ("slow", "in blocks of 1 MiB", "1.400 MB/s", "1.320 MB/s", "1.06"),
        ("fast", "in blocks of 512 B", "2.000 MB/s", "", ""),
        ("never", "in blocks of 1 B", "", "1.000 B/s", ""),
    ]


def test_what_may_not_be_the_best_is_marked_and_not_on_the_front() -> None:
    small = Try(
        levels={"console": "off"},
        stage="alone",
        outcome="booted",
        boot=3,
        flash={"root": 1},
        excluded_because="loses all that is printed",
    )
    tune = make_tune(tries=(*make_tune().tries, small))
    view = tuning_view(make_tuned(tune), tune)
    (row,) = (row for row in view.combined if row.excluded_because)
    assert (row.name, row.front) == ("console=off", "")
    for _, drawing in view.front:
        assert "console=off" not in [point.name for point in drawing.front]
        (dot,) = (dot for dot in drawing.dots if dot.hollow)
        assert dot.tooltip.endswith("loses all that is printed")
    assert "loses all that is printed</td>" in render(make_tuned(tune))


def test_a_front_of_nothing() -> None:
    points = [
        scatter.ScatterPoint(1, 1.0, "a", "too large"),
        scatter.ScatterPoint(2, 2.0, "b", "too large"),
    ]
    drawing = scatter.scatter(points, ("size", "time"), plot.WIDE)
    assert (drawing.path, drawing.front) == ("", ())


@pytest.mark.parametrize(("size", "seconds"), [(1, -1e-9), (2**63 - 1, 1.0)])
def test_points_of_a_damaged_record_have_places_too(size: int, seconds: float) -> None:
    points = [
        scatter.ScatterPoint(size, seconds, "a", ""),
        scatter.ScatterPoint(size + 1, seconds, "b", ""),
    ]
    assert len(scatter.scatter(points, ("size", "time"), plot.WIDE).dots) == 2


_HOSTILE = st.sampled_from([0, 1, -1, 10**9, 2**63 - 1, -(2**63)])


@settings(max_examples=40)
@given(st.data(), st.booleans())
def test_a_hostile_record_is_shown(data: st.DataObject, still: bool) -> None:
    """Sizes that are nothing or less, and boots whose marks stand still or go back."""
    tune = make_compressed() if data.draw(st.booleans()) else make_tune()
    tries = [
        each.model_copy(update={"flash": {name: data.draw(_HOSTILE) for name in each.flash}})
        for each in tune.tries
    ]
    moved = set(data.draw(st.lists(st.integers(0, 14), max_size=3)))
    boots = [
        boot.model_copy(
            update={
                "marks": tuple(
                    mark.model_copy(update={"t_ns": 0 if still else data.draw(_HOSTILE)})
                    if still or place in moved
                    else mark
                    for place, mark in enumerate(boot.marks)
                )
            }
        )
        for boot in tune.tried
    ]
    run = make_tuned(tune.model_copy(update={"tries": tuple(tries), "tried": tuple(boots)}))
    assert "What to change" in render(run)
    assert run_text(run)
