# SPDX-License-Identifier: Apache-2.0
"""What a user reads of a budget's reason, and of the chance that a board keeps it."""

from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.measures.reading import example_time
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Run
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.html import Reader
from tests.support.lab import RESULTS, FakeLab
from tests.support.profile_runs import PROFILE, run

ONE, _, _ = PROFILE.rpartition("[[key_issue]]")


def texts(found: Run) -> list[str]:
    return [" ".join(run_text(found).split()), Reader(render(found)).text]


def picture(tmp_path: Path, seconds: float, profile: str = ONE, board: str = "rpi2") -> Run:
    """A run in which a picture takes so long."""
    path = tmp_path / "box.toml"
    path.write_text(profile)
    fake = FakeLab(tmp_path)
    output = example_time("scale", round(seconds * 1e9), 990_000).encode()
    fake.ends = lambda job, cancelled: replace(RESULTS, stdout=output)
    return run(fake, path, f"virtual:{board}")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.5, "more than 99 in 100"), (3.0, "50 in 100"), (9.0, "less than 1 in 100")],
)
def test_a_row_says_how_likely_its_budget_is_kept(
    tmp_path: Path, seconds: float, said: str
) -> None:
    found = picture(tmp_path, seconds)
    (result,) = found.results_of(ProfileResult)
    assert result.probability == result.rows[0].probability
    for text in texts(found):
        assert f"the chance that the board keeps it is {said}" in text
        assert (f"The chance that it keeps all that it must is {said}." in text) == (seconds < 9)


def test_without_five_figures_of_its_work_it_says_which_would_help(tmp_path: Path) -> None:
    # An ARM1176 was held against three figures of its core.
    found = picture(tmp_path, 0.5, board="rpi-zero")
    (result,) = found.results_of(ProfileResult)
    assert (result.probability, result.rows[0].lacking) == (None, ("core",))
    for text in texts(found):
        assert "No chance is known of picture: of core work, 3 published figures were" in text
        assert "to have 7-Zip's or CoreMark's figures of a board with that part." in text
        assert "The chance of that is not known." in text


def test_a_budgets_reason_stands_with_its_verdict(tmp_path: Path) -> None:
    reason = 'budget = "<= 3 s"\nbecause = "after <b>three</b> seconds one asks"'
    found = picture(tmp_path, 1.0, ONE.replace('budget = "<= 3 s"', reason))
    for text in texts(found):
        assert "Why <= 3 s: after <b>three</b> seconds one asks." in text
