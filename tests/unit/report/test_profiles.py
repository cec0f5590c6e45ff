# SPDX-License-Identifier: Apache-2.0
"""What a profile asks, in a screen."""

import pytest

from perfboard.model.profile import KeyIssue, Scenario
from perfboard.profiles.loader import list_profiles, load_profile, profile_path
from perfboard.report.profiles import profile_text


@pytest.mark.parametrize("name", list_profiles())
def test_each_profile_fits_a_screen_and_has_all_its_rows(name: str) -> None:
    profile = load_profile(profile_path(name))
    lines = profile_text(profile).splitlines()
    rows: list[KeyIssue | Scenario] = [*profile.key_issue, *profile.scenario]
    assert max(map(len, lines)) <= 80 and len(lines) <= max(24, len(rows) + 8)
    for row in rows:
        (line,) = (each for each in lines if each.startswith(f"{row.name} "))
        assert row.budget is None or row.budget.text in line
        assert ("should" in line) == (row.weight == "should")
    assert all(measure in " ".join(lines) for measure in profile.measures)
