# SPDX-License-Identifier: Apache-2.0
"""Times held against budgets, and the evidence that is no time."""

from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.budget import hold
from perfboard.analysis.statistics.summary import judge
from perfboard.model.run import Evidence, Metric
from tests.support.runs import QUANTITIES

SAMPLES = st.lists(st.floats(0, 1e6), min_size=1, max_size=5)


@given(SAMPLES, QUANTITIES, st.sampled_from(Evidence), st.booleans())
def test_a_budget_in_seconds_has_a_verdict_or_a_reason(
    samples: list[float], budget_s: float, evidence: Evidence, has_model: bool
) -> None:
    metric = Metric(name="boot.total", unit="s", samples=tuple(samples))
    held = hold(metric, budget_s, evidence, has_model=has_model)
    if evidence is not Evidence.COUNTED:
        assert (held.verdicts, held.no_verdicts) == ((judge(metric, budget_s, evidence),), ())
        return
    assert held.verdicts == ()
    (missing,) = held.no_verdicts
    assert (missing.metric, missing.unit, missing.budget) == ("boot.total", "s", budget_s)
    # What to do depends on whether the board can be timed.
    assert ("--set detail=timed" in missing.reason) == has_model
    assert ("[timing]" in missing.reason) != has_model
