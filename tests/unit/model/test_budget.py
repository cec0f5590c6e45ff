# SPDX-License-Identifier: Apache-2.0
"""Budgets as people write them."""

import pytest

from perfboard.model.budget import parse_budget, parse_limits


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        (">= 90 Mbit/s", 11.25e6, "B/s"),
        (">= 1 Gbit/s", 125e6, "B/s"),
        ("<= 56 kbit/s", 7e3, "B/s"),
        (">= 1 GiB", 2.0**30, "B"),
    ],
)
def test_a_budget_is_in_the_units_that_people_use(text: str, value: float, unit: str) -> None:
    budget = parse_budget(text)
    assert (budget.value, budget.unit, budget.percentile) == (value, unit, None)


@pytest.mark.parametrize(
    ("text", "percentile", "fewest"),
    [
        ("p99 <= 20 ms", 99, 1000),
        ("p99.9<=20 ms", 99.9, 10_000),
        ("p50 <= 1 s", 50, 20),
        ("p1 >= 30 1/s", 1, 1000),
        ("p90 <= 1 s", 90, 100),
    ],
)
def test_a_percentile_says_how_many_samples_it_needs(
    text: str, percentile: float, fewest: int
) -> None:
    budget = parse_budget(text)
    assert (budget.percentile, budget.fewest) == (percentile, fewest)
    assert budget.lacks(fewest) == ""
    assert f"at least {fewest:,} samples" in budget.lacks(fewest - 1)


@pytest.mark.parametrize("text", ["p100 <= 1 s", "p0 <= 1 s", "p <= 1 s", "p99", "99 <= 1 s"])
def test_no_percentile_is_beyond_all_samples(text: str) -> None:
    with pytest.raises(ValueError, match="found"):
        parse_budget(text)


def test_a_limit_names_a_metric_and_its_labels() -> None:
    text = "network.tcp.bandwidth{way=to the board, streams=1} >= 90 Mbit/s"
    other = "media.record.frame p99 <= 20 ms"
    first, second = parse_limits([text, other])
    assert first.labels == {"way": "to the board", "streams": "1"} and first.text == text
    assert (second.metric, second.budget.percentile, second.text) == (
        "media.record.frame",
        99,
        other,
    )


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["boot.total"], "give a metric and a limit"),
        (["boot.total <= 3 s", "boot.total <= 4 s"], "is given more than once"),
        (["a.b{c} <= 3 s"], "give labels as in"),
        (["a.b <= 3 parsecs"], 'the unit "parsecs"'),
    ],
)
def test_what_is_no_limit_is_refused(texts: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_limits(texts)


def test_a_metric_may_have_limits_of_itself_and_of_a_percentile() -> None:
    assert len(parse_limits(["a.b <= 3 s", "a.b p99 <= 4 s", "a.b{c=1} <= 2 s"])) == 3
