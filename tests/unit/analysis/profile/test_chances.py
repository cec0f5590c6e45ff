# SPDX-License-Identifier: Apache-2.0
"""The probabilities of a profile's rows, and of all that must pass."""

from typing import Any

import pytest

from perfboard.analysis.profile.chances import Prior
from perfboard.analysis.profile.conclusion import Look, conclude
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Evidence, Metric
from perfboard.model.timed_as import StatedMargin
from tests.unit.analysis.profile.test_conclusion import ISSUE, gives, profile, within

CORE = StatedMargin(share=0.3, rows=6, ratios=((1.1, 0.9, 1.0), (1.2, 1.1, 0.8)))
FEW = StatedMargin(worst=0.2, rows=4, ratios=((1.1, 0.9, 1.0, 1.2),))
PRIOR = Prior("board", {"core": CORE, "memory": FEW})


def issue(metric: str = "cpu.time", budget: str = "<= 2 s", **more: Any) -> dict[str, Any]:
    return {**ISSUE, "metric": metric, "budget": budget, "labels": {}, **more}


def looks(*metrics: Metric) -> Look:
    return lambda part: metrics


TIME = Metric(name="cpu.time", unit="s", samples=(1.9,))


def concluded(*issues: dict[str, Any], metrics: tuple[Metric, ...] = (TIME,)) -> ProfileResult:
    return conclude(profile(*issues), looks(*metrics), Evidence.TIMED, within(0.3), prior=PRIOR)


def test_a_row_of_a_known_class_has_its_probability_and_the_board_that_of_all() -> None:
    result = concluded(issue())
    (row,) = result.rows
    assert row.outcome == "inconclusive" and row.lacking == ()
    assert row.probability is not None and 0.5 < row.probability < 0.9
    assert result.probability == row.probability
    twice = concluded(issue(), issue(name="again"))
    assert twice.probability == row.probability


@pytest.mark.parametrize("budget", ["<= 2 s", ">= 2 s", "<= 9 s", ">= 9 s"])
def test_the_outcome_and_the_probability_agree(budget: str) -> None:
    (row,) = concluded(issue(budget=budget)).rows
    assert row.probability is not None
    assert (row.outcome == "pass") <= (row.probability > 0.95)
    assert (row.outcome == "fail") <= (row.probability < 0.05)


def test_a_class_without_five_figures_has_no_probability_and_is_named() -> None:
    memory = Metric(name="memory.time", unit="s", samples=(1.0,))
    result = concluded(issue(), issue("memory.time", name="slow"), metrics=(TIME, memory))
    assert [row.lacking for row in result.rows] == [(), ("memory",)]
    assert result.rows[1].probability is None and result.probability is None
    should = issue("memory.time", name="slow", weight="should")
    result = concluded(issue(), should, metrics=(TIME, memory))
    assert result.probability == result.rows[0].probability


def test_a_size_is_known_for_sure_and_one_too_large_decides() -> None:
    size = Metric(name="kernel.size", unit="B", samples=(1e6,))
    small = issue("kernel.size", "<= 2 MB", name="small")
    result = concluded(issue(), small, metrics=(TIME, size))
    assert result.rows[1].probability == 1 and result.probability == result.rows[0].probability
    memory = Metric(name="memory.time", unit="s", samples=(1.0,))
    large = issue("kernel.size", "<= 1 kB", name="large")
    slow = issue("memory.time", name="slow")
    assert concluded(large, slow, metrics=(size, memory)).probability == 0


def test_a_scenario_of_several_classes_has_the_worst() -> None:
    run = Metric(name="boot.total", unit="s", samples=(1.9,))
    part = {"workload": "work", "metric": "cpu.time"}
    other = {"workload": "work", "metric": "boot.total"}
    scenarios = [
        {"name": name, "question": "?", "budget": "<= 4.4 s", "parts": parts}
        for name, parts in (("one", [part, part]), ("both", [part, other]))
    ]
    wanted = profile(issue(), scenario=scenarios)
    result = conclude(wanted, looks(TIME, run), Evidence.TIMED, within(0.3), prior=PRIOR)
    _, one, both = result.rows
    assert one.probability is not None and both.probability is not None
    # But for how the draws of different figures fall.
    assert both.probability <= one.probability + 0.01


def test_a_real_board_has_that_of_its_samples() -> None:
    result = conclude(profile(ISSUE), gives(1.9, 2.0, 2.1), Evidence.SILICON, within(0.0))
    assert result.probability == pytest.approx(0.5, abs=0.02)
    alone = conclude(profile(ISSUE), gives(1.9), Evidence.SILICON, within(0.0))
    assert alone.probability is None and alone.rows[0].lacking == ()
