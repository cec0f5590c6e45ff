# SPDX-License-Identifier: Apache-2.0
"""Which class of work a metric is of, and the margin that its times have."""

from typing import Any

import pytest

from perfboard.analysis.compare.margins import margins_of
from perfboard.analysis.verify.rows import Claim, by_work
from perfboard.boards.loader import load_board
from perfboard.model.run import BoardSummary, Evidence
from perfboard.model.timed_as import StatedMargin, TimedAs
from perfboard.model.work import work_of
from perfboard.report.boards import board_margins
from perfboard.report.words.evidence import evidence_label, timing_words
from tests.support.runs import make_run, published


@pytest.mark.parametrize(
    ("metric", "work"),
    [
        ("memory.random.beyond_l1", "memory"),
        ("memory.fault.time", "kernel"),
        ("ipc.switch", "kernel"),
        ("program.unixbench.pipe", "kernel"),
        ("program.stream.add", "memory"),
        ("program.gmp.mul_1", "core"),
        ("flash.read.bandwidth", "storage"),
        ("cpu.clock", "core"),
        ("boot.total", None),
        ("try.time.real", None),
        ("program.mine", None),
    ],
)
def test_a_metric_is_of_a_class_of_work_or_of_several(metric: str, work: str | None) -> None:
    assert work_of(metric) == work


def run_with(**margins: float) -> Any:
    stated = {work: StatedMargin(share=share, rows=9) for work, share in margins.items()}
    timed = TimedAs(part="A7", margin_source="rows", margins=stated)
    summary = BoardSummary(name="b", title="B", description="A board.", timed_as=timed)
    return make_run(board=summary, evidence=Evidence.TIMED)


def test_a_metric_has_the_margin_of_its_class_and_no_others() -> None:
    run, other = run_with(kernel=0.6, memory=0.1, several=0.25), run_with()
    names = ("ipc.switch", "flash.read", "boot.total")
    assert [(run.stated(name) or StatedMargin()).share for name in names] == [0.6, None, 0.25]
    assert run.model_copy(update={"evidence": Evidence.COUNTED}).stated("ipc.switch") is None
    found = margins_of(run, other, "memory.random")
    assert (found.before, found.after) == (0.1, None)


def test_classes_that_no_figure_checks_are_named() -> None:
    words = timing_words(run_with(kernel=0.6, memory=0.1))
    assert "lie within: memory 10%, kernel entry and switch 60%. By rows. Not checked: core, " in (
        words
    )
    assert "real board's: rows." in timing_words(run_with())
    run = run_with(kernel=0.6, several=0.25)
    assert evidence_label(run, "ipc.switch") == "timed \N{PLUS-MINUS SIGN}60%"
    assert evidence_label(run, "memory.random") == "timed, not checked"
    assert evidence_label(run, "boot.total") == "timed \N{PLUS-MINUS SIGN}25%"


def test_the_errors_of_a_class_are_those_of_rows_that_set_no_parameter() -> None:
    rows = [
        Claim(published("ipc.switch", 10.0, use="development"), 15.0, None),
        Claim(published("kernel.syscall", 10.0, use="held-out"), 9.0, True),
        Claim(published("kernel.syscall", 10.0, use="calibration"), 90.0, None),
        Claim(published("boot.total", 10.0, use="held-out"), 90.0, False),
        Claim(published("cpu.clock", 10.0, use="held-out"), None, None),
    ]
    found = by_work(rows)
    assert list(found) == ["kernel"]
    assert found["kernel"].rows == 2
    assert [found["kernel"].mean, found["kernel"].worst] == pytest.approx([0.3, 0.5])


def test_a_board_says_its_margins() -> None:
    assert "95 of 100 figures of the part lie within: " in board_margins(load_board("rpi2").board)
    assert "Nobody knows how near" in board_margins(load_board("omap1710").board)
