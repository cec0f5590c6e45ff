# SPDX-License-Identifier: Apache-2.0
"""What timing models' margins leave of a difference, and how the answer says so."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.compare.answer import speed
from perfboard.analysis.compare.changes import RunChange
from perfboard.analysis.compare.comparison import compare
from perfboard.model.run import BoardSummary, Evidence, Metric, Run
from perfboard.model.timed_as import StatedMargin, TimedAs
from perfboard.report.comparison import comparison_text
from tests.support.runs import make_metric, make_run

MODELS = st.sampled_from([None, "1" * 64, "2" * 64])


def timed(
    total: float,
    board: str = "rpi2",
    margin: float | None = 0.2,
    model: str | None = None,
    others: tuple[Metric, ...] = (),
    kernel: float | None = None,
    **fields: Any,
) -> Run:
    shares = {"several": margin, "kernel": kernel}
    margins = {work: StatedMargin(share=share) for work, share in shares.items()}
    timed_as = TimedAs(
        part=f"part of {board}", margin_source="x", margins=margins, model=model, **fields
    )
    summary = BoardSummary(
        name=board, title=board, description="", timed_as=timed_as, console_baud=115200
    )
    metrics = (make_metric("boot.total", total), *others)
    return make_run(board, board=summary, evidence=Evidence.TIMED, boots=(), metrics=metrics)


def total_of(a: Run, b: Run) -> RunChange:
    return next(change for change in compare(a, b).changes if change.name == "boot.total")


@given(st.floats(0.1, 10), st.floats(0.01, 0.9), st.floats(0.01, 0.9), MODELS, MODELS)
def test_a_comparison_is_the_same_both_ways(
    after: float, one: float, other: float, first: str | None, second: str | None
) -> None:
    a, b = timed(1.0, "a", one, first), timed(after, "b", other, second)
    there, back = total_of(a, b), total_of(b, a)
    assert there.interval and back.interval
    assert there.interval.low == pytest.approx(-back.interval.high)
    assert there.interval.high == pytest.approx(-back.interval.low)
    assert (there.shown, there.hidden) == (back.shown, back.hidden)


@given(st.floats(0.1, 10), st.floats(0.01, 0.9), MODELS)
def test_a_common_margin_hides_no_difference(
    after: float, margin: float, model: str | None
) -> None:
    change = total_of(timed(1.0, "a", margin, model), timed(after, "a", margin, model))
    assert change.interval and not change.hidden
    assert change.shown == (after != 1.0)
    # The margin is of the difference alone, and keeps its sign.
    width = change.interval.high - change.interval.low
    assert width == pytest.approx((1 + margin - 1 / (1 + margin)) * abs(after - 1.0))


def test_where_nothing_is_known_two_boards_do_not_differ_and_one_does() -> None:
    a, b = timed(1.0, "a", None), timed(9.0, "b", 0.1)
    assert not total_of(a, b).shown and total_of(a, b).hidden
    words = compare(a, b).words
    assert "margins allow to tell: boot.total is 1.000 s (not checked) on a and" in words
    assert speed(a, b, "boot.total").endswith("no difference that the margins allow to tell.")
    assert total_of(a, timed(0.9, "a", None)).shown


@given(st.floats(0.1, 10), st.floats(0.01, 0.9), st.floats(0.01, 0.9))
def test_different_boards_have_their_own_margins(after: float, one: float, other: float) -> None:
    change = total_of(timed(1.0, "a", one), timed(after, "b", other))
    assert change.interval
    off = one + other * after
    assert change.interval.high - change.interval.low == pytest.approx(2 * off)
    assert change.shown == (abs(after - 1.0) > off)


def test_a_saving_on_one_board_is_one() -> None:
    words = compare(timed(1.0, margin=0.5), timed(0.7, margin=0.5)).words
    assert words.startswith("boot.total fell by 300.0 ms")


def test_a_difference_inside_the_margins_is_said_to_be_none_first() -> None:
    waits = [make_metric("boot.total.waits.console", s) for s in (0.580, 0.563)]
    a = timed(0.979, "rpi2", others=(waits[0],))
    b = timed(0.834, "orangepi-pc", others=(waits[1],))
    lines = " ".join(comparison_text(compare(a, b)).split())
    assert lines.startswith(
        "No difference that the margins allow to tell: boot.total is 979.0 ms (\N{PLUS-MINUS SIGN}"
        "20%) on rpi2 and 834.0 ms (\N{PLUS-MINUS SIGN}20%) on orangepi-pc. 563.0 ms of 979.0 ms "
        "are the same on both boards: waits for the console at 115200 baud."
    )


@pytest.mark.parametrize(("one", "other"), [(0.58, 0.3), (0.1, 0.1), (0.0, 0.0)])
def test_other_waits_for_the_console_hide_nothing(one: float, other: float) -> None:
    sides = [
        timed(1.0, board, others=(make_metric("boot.total.waits.console", seconds),))
        for board, seconds in (("a", one), ("b", other))
    ]
    assert "console" not in compare(sides[0], sides[1]).words


def test_models_that_differ_are_named_and_have_no_common_margin() -> None:
    a, b = timed(1.0, model="1" * 64), timed(0.9, model="2" * 64)
    result = compare(a, b)
    assert result.words.startswith("No difference that the margins allow to tell: boot.total is")
    assert "The runs have different timing models of this board" in result.words
    found = {(d.what, d.before, d.after) for d in result.differences}
    assert ("timing model", "1" * 12, "2" * 12) in found
    # Different boards are different machines, even by equal parameters.
    one, other = (timed(s, board, model="1" * 64) for s, board in ((1.0, "a"), (0.9, "b")))
    assert compare(one, other).words.startswith("No difference that the margins allow")


def test_a_metric_that_the_model_leaves_out_has_no_margin() -> None:
    left_out = {"ipc.switch": "its caches are cleaned at each switch"}
    sides = [
        timed(1.0, others=(make_metric("ipc.switch", seconds),), left_out=left_out)
        for seconds in (1.0, 3.0)
    ]
    result = compare(sides[0], sides[1])
    (change,) = (each for each in result.changes if each.name == "ipc.switch")
    assert (change.modelled, change.shown) == (False, False)
    assert change.interval and change.interval.low == change.interval.high
    assert "ipc.switch (not modelled)" in comparison_text(result)


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (0.25, "b is 4.00 times as fast as a."),
        (4.0, "b takes 4.00 times as long as a."),
        (1.1, "b and a: no difference that the margins allow to tell."),
        (0.0, ""),
    ],
)
def test_a_board_is_so_many_times_as_fast(after: float, words: str) -> None:
    a, b = timed(1.0, "a"), timed(after, "b")
    assert speed(a, b, "boot.total") == words
    if after not in (1.1, 0.0):
        assert words in compare(a, b).words
    counted = [run.model_copy(update={"evidence": Evidence.COUNTED}) for run in (a, b)]
    assert speed(counted[0], counted[1], "boot.total") == ""


def test_a_time_has_the_margin_of_its_class_of_work() -> None:
    sides = [
        timed(1.0, name, kernel=0.01, others=(make_metric("kernel.syscall", time),))
        for name, time in (("a", 1.0), ("b", 1.1))
    ]
    # By the margin of 20% of several classes nobody could tell.
    assert speed(sides[0], sides[1], "kernel.syscall") == "b takes 1.10 times as long as a."
