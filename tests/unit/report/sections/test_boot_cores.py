# SPDX-License-Identifier: Apache-2.0
"""A boot of several cores as it is shown: what each did, and without times if it was counted."""

from perfboard.model.results.boot import Boot, CoreTime, Stretch
from perfboard.model.run import Evidence
from perfboard.report.charts.text_cores import text_cores
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.runs import MARKS, make_boot, make_run

WHOLE = MARKS["usable"]
COUNTS = {"core0_instructions": 190_000_000, "core1_instructions": 2_901_373}


def core(number: int, *stretches: tuple[float, float]) -> CoreTime:
    """A core that works from and until those shares of the boot."""
    found = tuple(
        Stretch(
            process="udevd",
            start_ns=round(start * WHOLE),
            duration_ns=round((end - start) * WHOLE),
        )
        for start, end in stretches
    )
    return CoreTime(
        core=number,
        busy_ns=sum(each.duration_ns for each in found),
        instructions=COUNTS[f"core{number}_instructions"],
        stretches=found,
    )


def boots(**counters: int) -> list[Boot]:
    cores = (core(0, (0, 0.75)), core(1, (0.5, 0.5 + 1 / 44)))
    return [make_boot(cores=cores, counters=COUNTS | counters)]


def test_a_core_has_a_line_as_dark_as_it_works() -> None:
    first, second = text_cores(boots()[0], WHOLE)
    assert first.split() == ["core", "0,", "busy", "█" * 33, "75%"]
    assert second.split() == ["core", "1,", "busy", "█", "2%"]
    assert second.index("█") == first.index("█") + 22


def test_a_core_that_worked_a_little_shows() -> None:
    (line,) = text_cores(make_boot(cores=(core(1, (0.5, 0.501)),)), WHOLE)
    assert line.count("░") == 1


def test_the_page_has_a_lane_a_core() -> None:
    page = render(make_run(boots=boots(cycles_fs=1), evidence=Evidence.TIMED))
    assert "core 0: 75%" in page and "core 1: udevd, " in page


def test_cores_that_were_counted_have_instructions_and_no_times() -> None:
    run = make_run(boots=boots())
    assert not [metric.name for metric in run.metrics if metric.unit == "s"]
    text, page = run_text(run), render(run)
    shown = " ".join(text.split())
    assert "192,901,373 instructions of 2 cores (counted). Their time is not known." in shown
    assert "core 1 2,901,373 1.5%" in shown
    assert "devices 21,177,938 11.0%" in shown
    for words in (text.partition("run  ")[0], page.partition("<footer")[0]):
        assert " ms" not in words and " 1.543 s" not in words
