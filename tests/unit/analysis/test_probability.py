# SPDX-License-Identifier: Apache-2.0
"""The laws of probabilities of budgets."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

from perfboard.analysis.probability import (
    ErrorLaw,
    HeldFigure,
    known,
    law_of,
    laws_of,
    modelled,
    sampled,
    share_of,
)
from perfboard.model.timed_as import FEWEST, SEVERAL, StatedMargin

BUDGETS = st.floats(0.2, 5)
RATIOS = st.lists(st.floats(0.3, 3), min_size=FEWEST, max_size=9)
LAWS = st.builds(ErrorLaw, st.floats(0, 0.5), st.floats(0, 0.5), st.integers(1, 30))
FEW = settings(max_examples=25, deadline=None)


def figure(budget: float = 1.0, name: str = "a", least: bool = False) -> HeldFigure:
    return HeldFigure("board", name, budget, least)


@FEW
@given(LAWS, LAWS, BUDGETS, BUDGETS, st.booleans())
def test_an_easier_budget_is_kept_no_less_likely(
    one: ErrorLaw, other: ErrorLaw, budget: float, easier: float, least: bool
) -> None:
    budget, easier = sorted((budget, easier), reverse=least)
    laws = {"core": one, "memory": other}
    p, q = (
        share_of([modelled(figure(each, least=least), 1.0, laws, laws)])
        for each in (budget, easier)
    )
    assert 0 <= p <= q <= 1


@FEW
@given(LAWS, BUDGETS, BUDGETS)
def test_equal_rows_have_the_probability_of_one_and_others_at_most_that(
    law: ErrorLaw, budget: float, other: float
) -> None:
    laws = {"core": law}
    one, same = (modelled(figure(budget), 1.0, laws, laws) for _ in range(2))
    second = modelled(figure(other, "b"), 1.0, laws, laws)
    assert share_of([one, same]) == share_of([one])
    assert share_of([one, second]) <= min(share_of([one]), share_of([second]))


@FEW
@given(LAWS, LAWS, BUDGETS)
def test_work_of_several_classes_is_as_likely_as_in_the_worst(
    one: ErrorLaw, other: ErrorLaw, budget: float
) -> None:
    laws = {"core": one, "memory": other}
    each = [share_of([modelled(figure(budget), 1.0, [work], laws)]) for work in laws]
    assert share_of([modelled(figure(budget), 1.0, laws, laws)]) == min(each)


def test_rows_of_a_class_err_together() -> None:
    # Nine in ten each; by themselves two would be kept in 81 of 100.
    alike, apart = ErrorLaw(0.1, 0.0, 1000), ErrorLaw(0.0, 0.1, 1000)
    both = []
    for law in (alike, apart):
        rows = [modelled(figure(math.exp(0.12816), n), 1.0, ["core"], {"core": law}) for n in "ab"]
        assert share_of(rows[:1]) == pytest.approx(0.9, abs=0.01)
        both.append(share_of(rows))
    assert both == pytest.approx([0.9, 0.81], abs=0.01)


@pytest.mark.parametrize("freedom", [4, 11])
@pytest.mark.parametrize("budget", [0.9, 1.1, 1.3])
def test_an_error_has_students_t_distribution(freedom: int, budget: float) -> None:
    law = ErrorLaw(0.06, 0.08, freedom)
    p = share_of([modelled(figure(budget), 1.0, ["core"], {"core": law})])
    assert p == pytest.approx(float(stdtr(freedom, math.log(budget) / 0.1)), abs=0.01)


@FEW
@given(RATIOS, RATIOS)
def test_a_law_has_the_spread_of_its_margin(one: list[float], other: list[float]) -> None:
    law = law_of([one, other])
    assert law is not None and law.freedom == len(one) + len(other) - 1
    squares = [sum(math.log(r) ** 2 for r in own) / len(own) for own in (one, other)]
    assert math.hypot(law.together, law.alone) == pytest.approx(math.sqrt(sum(squares) / 2))


def test_a_class_without_five_figures_has_no_law() -> None:
    margins = {
        "core": StatedMargin(rows=5, ratios=((1.1, 0.9, 1.0), (1.2, 1.1))),
        "network": StatedMargin(rows=4, ratios=((1.1, 0.9, 1.0, 1.0),)),
        SEVERAL: StatedMargin(rows=9),
    }
    laws = laws_of(margins)
    assert {*laws} == {"core", SEVERAL} and laws[SEVERAL].freedom == 8
    # All of one class tell nothing of several.
    assert {*laws_of({"core": margins["core"]})} == {"core"}


def test_nine_of_ten_further_figures_keep_the_budget_that_is_said_to_hold_so() -> None:
    drawn = random.Random(7)
    kept = []
    for _ in range(300):
        boards = [
            [math.exp(drawn.gauss(bias, 0.1)) for _ in range(6)]
            for bias in (drawn.gauss(0, 0.05), drawn.gauss(0, 0.05))
        ]
        law = law_of(boards)
        assert law is not None
        further = drawn.gauss(drawn.gauss(0, 0.05), 0.1)
        kept.append(share_of([modelled(figure(math.exp(further)), 1.0, ["core"], {"core": law})]))
    assert 0.85 < sum(p <= 0.9 for p in kept) / len(kept) < 0.95


@FEW
@given(st.lists(st.floats(0.5, 2), min_size=2, max_size=9), BUDGETS, BUDGETS, st.booleans())
def test_a_real_board_has_the_distribution_of_its_mean(
    samples: list[float], budget: float, easier: float, least: bool
) -> None:
    budget, easier = sorted((budget, easier), reverse=least)
    draws = [sampled(figure(each, least=least), samples) for each in (budget, easier)]
    p, q = (share_of([each]) for each in draws if each is not None)
    assert 0 <= p <= q <= 1


def test_a_single_sample_says_nothing_and_equal_ones_all() -> None:
    assert sampled(figure(), [0.5]) is None
    for value, p in ((0.5, 1.0), (2.0, 0.0)):
        draws = sampled(figure(), [value] * 3)
        assert draws is not None and share_of([draws]) == p


def test_a_percentile_of_a_real_boards_samples_is_known_by_how_many_keep_it() -> None:
    for late, least_p, most_p in ((0, 0.98, 1.0), (10, 0.4, 0.6), (30, 0.0, 0.01)):
        samples = [0.5] * (1000 - late) + [2.0] * late
        draws = sampled(figure(1.0), samples, 99)
        turned = sampled(figure(1.0, least=True), [1 / each for each in samples], 1)
        assert draws is not None and turned is not None
        assert least_p <= share_of([draws]) <= most_p
        assert share_of([draws]) == share_of([turned])


def test_no_row_is_kept_for_sure_and_what_is_sure_is_so() -> None:
    assert share_of([]) == share_of([known(True)]) == 1
    assert share_of([known(True), known(False)]) == 0
