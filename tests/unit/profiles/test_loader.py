# SPDX-License-Identifier: Apache-2.0
"""Profiles: those that are shipped, a new one, and what is refused of one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.model.budget import UNITS, Budget, parse_budget
from perfboard.model.errors import UsageError
from perfboard.model.profile import KeyIssue, Scenario
from perfboard.profiles.loader import (
    is_shipped,
    list_profiles,
    load_profile,
    new_profile,
    profile_path,
)

BUDGET = 'budget = "<= 2 s"'
OTHERS = 'published = {{ figure = "{}", of = "a search" }}'


@pytest.mark.parametrize("name", list_profiles())
def test_a_shipped_profile_is_read(name: str) -> None:
    path = profile_path(name)
    assert is_shipped(path)
    profile = load_profile(path)
    assert profile.profile.name == name
    rows: tuple[KeyIssue | Scenario, ...] = (*profile.key_issue, *profile.scenario)
    for row in rows:
        assert row.because or row.budget is None, f"{row.name}: why is the budget that?"


def test_a_new_profile_can_be_read_and_is_written_once(tmp_path: Path) -> None:
    path = new_profile(tmp_path, "my-box")
    assert load_profile(path).profile.name == "my-box" and not is_shipped(path)
    with pytest.raises(UsageError, match="is there already"):
        new_profile(tmp_path, "my-box")
    with pytest.raises(UsageError, match="give at most 40"):
        new_profile(tmp_path, "../box")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (BUDGET, 'budget = "2 s"', 'found "2 s"; give <= or >='),
        (BUDGET, 'budget = "<= 2 fortnights"', 'the unit "fortnights" is not one of s, ms'),
        (BUDGET, "", "key_issue[0]: needs a budget for its metric"),
        (BUDGET, 'budget = "p100 <= 2 s"', 'found "p100 <= 2 s"'),
        ('budget = "<= 20 s"', 'budget = "p90 <= 20 s"', "a sum has no percentile"),
        ("wondering", "wondering.", "key_issue[0].because"),
        ('weight = "must"', 'weight = "may"', "key_issue[0].weight: found"),
        ('weight = "must"', "wieght = 1", "key_issue[0].wieght: is not a key of a profile file"),
        ('name = "evening"', 'name = "search"', "the name search is there twice"),
        ("schema =", "scheme =", "schema: is missing"),
        (BUDGET, f"{BUDGET}\n{OTHERS.format('2 s')}", "search has a published figure: give its"),
        (BUDGET, f"{BUDGET}\n{OTHERS.format('fast')}", 'found "fast"; give a number and a unit'),
        (BUDGET, f"{BUDGET}\n{OTHERS.format('2 kB')}", 'figure is "2 kB", and the budget "<= 2 s"'),
        (BUDGET, f"{BUDGET}\npublished = 3", "key_issue[0].published: "),
    ],
)
def test_what_is_wrong_is_told_by_its_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = new_profile(tmp_path, "box")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError) as caught:
        load_profile(path)
    assert said in str(caught.value) and str(path) in str(caught.value)


def test_a_name_that_is_not_there_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match='did you mean "media-recorder"'):
        profile_path("media-recorde")


@given(st.sampled_from(["<=", ">="]), st.integers(0, 10**9), st.sampled_from(sorted(UNITS)))
def test_a_budget_is_in_base_units(sign: str, number: int, unit: str) -> None:
    budget = parse_budget(f"{sign} {number} {unit}")
    assert isinstance(budget, Budget) and budget.least == (sign == ">=")
    assert budget.unit == UNITS[unit][0]
    assert budget.value == pytest.approx(number * UNITS[unit][1])


@given(st.text(max_size=30))
def test_any_text_is_a_budget_or_refused(text: str) -> None:
    try:
        assert isinstance(parse_budget(text), Budget)
    except ValueError as error:
        assert str(error)
