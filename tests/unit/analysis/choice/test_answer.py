# SPDX-License-Identifier: Apache-2.0
"""Which board is recommended: never one with an unmeasured or failed row that must pass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.choice.answer import Candidate, choice_of, nearest_of
from tests.support.candidates import candidate, row

ROWS = st.lists(
    st.builds(
        lambda outcome, weight, at: row(outcome, f"row-{at}", weight=weight),
        st.sampled_from(["pass", "fail", "inconclusive", "not measured"]),
        st.sampled_from(["must", "should"]),
        st.integers(0, 9),
    ),
    max_size=5,
)
BOARDS = st.lists(
    st.tuples(
        ROWS,
        st.none() | st.floats(0, 1),
        st.none() | st.floats(1, 1000),
        st.sampled_from(["", "$"]),
    ),
    min_size=1,
    max_size=6,
)


def _boards(drawn: list[tuple[list, float | None, float | None, str]]) -> list[Candidate]:  # type: ignore[type-arg]
    return [
        candidate(f"board-{at}", *rows, price=price, probability=share, price_currency=currency)
        for at, (rows, share, price, currency) in enumerate(drawn)
    ]


@given(BOARDS, st.sampled_from([0.5, 0.9, 0.99]))
def test_a_recommended_board_keeps_all_that_it_must_as_far_as_is_known(
    drawn: list[tuple[list, float | None, float | None, str]],  # type: ignore[type-arg]
    sure: float,
) -> None:
    boards = _boards(drawn)
    choice = choice_of(boards, sure)
    for each in choice.right:
        assert each.musts
        assert not {row.outcome for row in each.musts} & {"fail", "not measured"}
        assert each.probability is not None and each.probability >= sure
    # Each board has one place.
    assert sorted(each.board for each in choice.all) == sorted(each.board for each in boards)
    for group in (choice.right, choice.unsure, choice.others):
        prices = [each.price for each in group if each.price is not None]
        if len({each.currency for each in boards if each.price is not None}) == 1:
            assert prices == sorted(prices)
            # Those without a price come last.
            assert all(each.price is None for each in group[len(prices) :])
    assert all(each in choice.others for each in nearest_of(choice))


def test_the_cheapest_that_is_likely_enough_comes_first() -> None:
    boards = [
        candidate("dear", row("pass"), price=60, probability=0.99),
        candidate("cheap", row("pass"), price=20, probability=0.93),
        candidate("cheaper", row("inconclusive"), price=10, probability=0.7),
        candidate("unpriced", row("pass"), probability=1.0),
    ]
    choice = choice_of(boards)
    assert [each.board for each in choice.right] == ["cheap", "dear", "unpriced"]
    assert [each.board for each in choice.others] == ["cheaper"]
    assert [each.board for each in choice_of(boards, 0.95).right] == ["dear", "unpriced"]


def test_without_prices_the_one_with_most_to_spare_comes_first() -> None:
    boards = [
        candidate("close", row("pass", value=1.7), probability=0.95),
        candidate("far", row("pass", value=0.2), probability=0.95),
        candidate("rate", row("pass", least=True, value=8.0), probability=0.95),
    ]
    assert [each.board for each in choice_of(boards).right] == ["far", "rate", "close"]


def test_what_passes_without_a_known_chance_is_not_recommended() -> None:
    choice = choice_of([candidate("new", row("pass"), price=5)])
    assert not choice.right and [each.board for each in choice.unsure] == ["new"]


def test_a_price_in_another_currency_is_not_compared() -> None:
    boards = [
        candidate("pounds", row("pass"), price=1, probability=0.99, price_currency="£"),
        candidate("one", row("pass"), price=30, probability=0.99, price_currency="$"),
        candidate("two", row("pass"), price=20, probability=0.99, price_currency="$"),
    ]
    assert [each.board for each in choice_of(boards).right] == ["two", "one", "pounds"]


@pytest.mark.parametrize(("answer", "near"), [(None, ["b", "c", "a"]), (25.0, ["b"])])
def test_options_are_for_those_that_fail_by_least_and_help(
    answer: float | None, near: list[str]
) -> None:
    boards = [
        candidate("a", row("fail", value=2.2), price=50, probability=0.0),
        candidate("b", row("fail", value=3.0), price=20, probability=0.0),
        candidate("c", row("fail", value=2.5), price=30, probability=0.0),
        candidate("d", row("fail", value=40.0), price=10, probability=0.0),
        # It has not the hardware.
        candidate("e", row("fail", value=None), price=1, probability=0.0),
    ]
    if answer:
        boards = [each for each in boards if each.board != "d"]
        boards.append(candidate("right", row("pass"), price=answer, probability=0.99))
    assert [each.board for each in nearest_of(choice_of(boards))] == near
