# SPDX-License-Identifier: Apache-2.0
"""Margins from the figures that a part's boards were checked by."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from perfboard.boards.loader import list_boards, load_board
from perfboard.boards.margins import (
    CheckedFigure,
    checked_rows,
    margins_from,
    margins_of,
    part_figures,
    student,
)
from perfboard.model.timed_as import FEWEST, SEVERAL, StatedMargin, TimedAs, error_of
from tests.support.board_files import RPI2

RATIOS = st.lists(st.floats(0.2, 5), min_size=FEWEST, max_size=12)


def of(*ratios: float, board: str = "a", work: str = "memory") -> list[CheckedFigure]:
    return [CheckedFigure(board, work, ratio) for ratio in ratios]


@given(RATIOS)
def test_a_margin_is_the_same_for_too_fast_and_too_slow(ratios: list[float]) -> None:
    there, back = (margins_from(of(*own))["memory"] for own in (ratios, [1 / r for r in ratios]))
    assert there.share == pytest.approx(back.share) and there.worst == pytest.approx(back.worst)


@given(RATIOS, st.floats(1.01, 3))
def test_larger_errors_make_a_larger_margin(ratios: list[float], power: float) -> None:
    small, large = (
        margins_from(of(*own))["memory"].share for own in (ratios, [r**power for r in ratios])
    )
    assert small is not None and large is not None and large >= small


def test_nineteen_of_twenty_further_figures_lie_within() -> None:
    drawn = random.Random(7)
    inside = count = 0
    for _ in range(400):
        ratios = [drawn.lognormvariate(0, 0.1) for _ in range(8)]
        share = margins_from(of(*ratios))["memory"].share
        assert share is not None
        further = [drawn.lognormvariate(0, 0.1) for _ in range(20)]
        inside += sum(error_of(ratio) <= share for ratio in further)
        count += len(further)
    assert 0.93 < inside / count < 0.97


@pytest.mark.parametrize("freedom", [*range(1, 40), 60, 200, 10_000])
def test_students_t_is_that_of_scipy(freedom: int) -> None:
    assert student(freedom) == pytest.approx(float(stdtrit(freedom, 0.975)), rel=1e-3)


@pytest.mark.parametrize("rows", range(1, 7))
def test_fewer_than_five_figures_give_the_worst_and_no_margin(rows: int) -> None:
    stated = margins_from(of(*[1.1] * (rows - 1), 0.8))["memory"]
    assert stated.rows == rows and stated.worst == pytest.approx(0.25)
    assert (stated.share is None) == (stated.covered is None) == (rows < FEWEST)
    assert stated.reach == (stated.share if stated.share else pytest.approx(0.5))


def test_boards_of_a_part_that_differ_widen_its_margin() -> None:
    one = margins_from(of(*[1.1] * 8))["memory"].share
    two = margins_from([*of(*[1.1] * 8), *of(2.0, board="b")])["memory"].share
    assert one is not None and two is not None and two > 2 * one


def test_figures_that_are_left_out_tell_whether_a_margin_holds() -> None:
    stated = margins_from(of(1.01, 1.02, 0.99, 0.98, 1.01, 9.0))["memory"]
    # It widens the margin that it lies within, and lies far beyond that of the others.
    assert stated.share is not None and stated.covered == 5 and stated.rows == 6


def test_work_of_several_classes_needs_figures_of_more_than_one() -> None:
    assert SEVERAL not in margins_from(of(*[1.1] * 9))
    both = [*of(1.1, 1.0, 0.9), *of(1.2, 0.9, work="core")]
    found = margins_from(both)
    assert {*found} == {"memory", "core", SEVERAL}
    assert found["core"].share is None and found[SEVERAL].share is not None


def test_the_networks_figures_tell_nothing_of_a_boot() -> None:
    known = [*of(1.1, 1.0, 0.9), *of(1.2, 0.9, work="core")]
    found = margins_from([*known, *of(3.0, work="network")])
    assert found[SEVERAL] == margins_from(known)[SEVERAL]
    assert found["network"].worst == pytest.approx(2)


def test_a_class_without_figures_is_not_known() -> None:
    timed = TimedAs(part="A7", margin_source="", margins=margins_from(of(*[1.1] * 5)))
    assert timed.stated("network.tcp.rate") == StatedMargin()
    assert StatedMargin().reach is None and "no figure of the real part" in StatedMargin().lack


# Metrics, by their beginning, whose rows no `boards verify` has held against the board yet.
_LARGE = ("program.", "memory.copy.", "memory.clear.", "memory.word.")
NOT_YET = {
    "sk-am62b": ("program.openssl.", "program.fio.", "memory.copy."),
    "am335x-evm": ("program.",),
    "sk-am62b-lp": (
        *_LARGE,
        "memory.latency",
        "memory.map.write",
        "memory.fault.",
        "file.",
        "ipc.",
        "kernel.",
    ),
    "beaglebone-green-eco": (*_LARGE, "memory.fault.", "kernel.syscall"),
    "orangepi-zero3": ("program.",),
    "imx8mp-evk": ("program.", "memory.random."),
    "radxa-zero3": ("program.", "memory.random."),
    "rpi3": ("program.",),
}


@pytest.mark.parametrize("name", list_boards())
def test_each_row_that_checks_a_board_has_its_ratio(name: str) -> None:
    for row in checked_rows(load_board(name).board.timing):
        known = row.ratio or row.metric.startswith(NOT_YET.get(name, ()))
        assert known, f"{row.metric}: benchmarks/ratios.py writes it"


def test_the_boards_of_a_part_share_its_figures() -> None:
    rpi2, orange = (load_board(name).board for name in ("rpi2", "orangepi-pc"))
    assert {figure.board for figure in part_figures(rpi2)} == {"rpi2", "orangepi-pc"}
    assert margins_of(rpi2).margins == margins_of(orange).margins
    assert margins_of(load_board("omap1710").board).margins == {}


def test_a_board_of_the_users_with_the_same_rows_counts_them_once(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(RPI2.replace('name = "rpi2"', 'name = "own"'))
    own = load_board(str(tmp_path / "own.toml")).board
    assert margins_of(own).margins == margins_of(load_board("rpi2").board).margins
