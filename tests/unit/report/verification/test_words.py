# SPDX-License-Identifier: Apache-2.0
"""What verifying a board found, in words: the answer first, and how many lie inside the margins."""

from dataclasses import replace
from typing import Any

import pytest

from perfboard.analysis.verify.coverage import coverage, held_out
from perfboard.analysis.verify.rows import Claim, Verification, accuracy, row_of
from perfboard.model.timed_as import StatedMargin
from perfboard.report.verification.words import answer, coverage_rows, lanes, notes
from tests.support.runs import published

NONE = "\N{EN DASH}"
MEMORY = StatedMargin(share=0.2, worst=0.1, rows=6, covered=6)


def row(metric: str, now: float | None, margin: float | None = 0.2, **fields: Any) -> Claim:
    return row_of(published(metric, **fields), now, margin)


def found(*rows: Claim, **fields: Any) -> Verification:
    content = Verification("b", "P", {"memory": MEMORY}, {}, "rows", rows, accuracy(rows), ("run",))
    return replace(content, **fields)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((), "No held-out figure was measured."),
        ((row("memory.a", None),), "No held-out figure was measured."),
        (
            (row("memory.a", 1.1), row("memory.b", 0.7), row("memory.c", 1.0)),
            "2 of 3 held-out rows lie inside the margins; mean error 13.3%, worst 30.0%: memory.b.",
        ),
        (
            (row("memory.a", 1.1), row("cpu.b", 1.3, None)),
            "1 of 1 held-out row lies inside the margins, and for 1 more no margin is known; "
            "mean error 20.0%, worst 30.0%: cpu.b.",
        ),
        (
            (row("cpu.b", 1.3, None),),
            "No margin is known for the 1 held-out row; mean error 30.0%, worst 30.0%: cpu.b.",
        ),
        (
            (row("memory.a", 1.1), row("memory.b", 9.0, use="development")),
            "1 of 1 held-out row lies inside the margins; mean error 10.0%, worst 10.0%: memory.a.",
        ),
    ],
)
def test_the_answer_is_that_of_the_held_out_rows(rows: tuple[Claim, ...], words: str) -> None:
    assert answer(found(*rows)) == words


def test_what_the_model_lacks_is_no_part_of_the_answer() -> None:
    lacking = replace(row("memory.b", 9.0), within=None, modelled=False)
    assert held_out([lacking]) is None
    assert held_out([row("memory.a", 1.1), lacking]) == held_out([row("memory.a", 1.1)])


def test_rows_are_counted_by_class_with_the_files_ratio_and_this_times() -> None:
    rows = (
        row("memory.a", 1.1, ratio=1.5),
        row("memory.b", 1.5, ratio=1.0, use="development"),
        row("memory.c", 0.9),
        row("memory.d", None, ratio=1.0),
        row("memory.sets", 5.0, ratio=5.0, use="calibration"),
        row("memory.size", 5.0, ratio=5.0, unit="B"),
        row("cpu.a", 1.02, None, ratio=1.0),
    )
    core, memory = coverage(rows, {"memory": MEMORY})
    assert (core.work, core.rows, core.inside, core.inside_stated) == ("core", 1, None, None)
    assert (memory.rows, memory.stated, memory.inside_stated) == (4, 3, 2)
    assert (memory.measured, memory.inside) == (3, 2)
    assert memory.worst == pytest.approx(0.5) and memory.mean == pytest.approx(0.7 / 3)
    assert coverage_rows(found(*rows)) == [
        ("core", "none", "1", NONE, NONE, "2.0%", "2.0%"),
        ("memory", "±20%", "4", "2 of 3", "2 of 3", "23.3%", "50.0%"),
    ]


def test_each_measured_row_has_its_mark_in_the_lane_of_its_class() -> None:
    lacking = replace(row("cpu.x", 9.0), within=None, modelled=False)
    rows = (row("memory.b", 1.5), row("memory.d", None), row("boot.total", 1.1), lacking)
    core, memory, several = lanes(found(*rows))
    assert [lane.title for lane in (core, memory, several)] == [
        *("core", "memory", "several kinds together")
    ]
    assert (memory.margin, several.margin) == (0.2, None)
    assert [(mark.ratio, mark.use, mark.beyond) for mark in core.marks + memory.marks] == [
        *((9.0, "", False), (1.5, "held-out", True))
    ]


def test_what_was_not_measured_is_told_apart_from_what_was_interrupted() -> None:
    rows = (row("memory.a", 1.1), row("memory.b", None))
    assert any("1 was not measured" in words for words in notes(found(*rows)))
    assert not any("not measured" in w for w in notes(found(*rows, interrupted=True)))
