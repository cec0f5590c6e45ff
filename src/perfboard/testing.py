# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: tests boot a board or run a probe, and hold its times against budgets.

pytest imports it at each start, so it imports nothing more until a test uses it.
"""

import warnings
from dataclasses import dataclass

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from perfboard.bench.lab import Lab
    from perfboard.model.run import Run


class InconclusiveWarning(UserWarning):
    """A figure's noise does not show whether it is within its budget."""


@dataclass(frozen=True)
class BenchFixture:
    """The boards of a test. Each run is stored, as those of the command are."""

    lab: "Lab"

    def boot(self, target: str, *, boots: int = 1, **factors: str) -> "Run":
        """Boots a virtual board, by its name or file, at levels of its `factors`."""
        from perfboard.bench.request import Request
        from perfboard.model.target import virtual_target
        from perfboard.studies.base import run_study
        from perfboard.studies.boot.study import STUDY, BootOptions

        request = Request(virtual_target(target), factors, ("pytest",))
        return self._whole(run_study(STUDY, request, BootOptions(boots=boots), self.lab))

    def probe(
        self, *probes: str, target: str = "local", time_s: float = 5.0, **old: float
    ) -> "Run":
        """Runs probes on a target for that time, as `perfboard measure` does."""
        from perfboard.bench.request import Request
        from perfboard.studies.probing import ProbeOptions, measure_target

        if "budget_s" in old:
            words = "budget_s is called time_s now; the old name goes with the next release"
            warnings.warn(words, DeprecationWarning, stacklevel=2)
            time_s = old.pop("budget_s")
        if old:
            raise TypeError(f"probe() has no {', '.join(old)}")
        request, options = Request(target, {}, ("pytest",)), ProbeOptions(time=time_s)
        return self._whole(measure_target("measure", request, probes, options, self.lab))

    def check(self, run: "Run", metric: str, budget: float) -> None:
        """Fails the test if the metric, in its own unit, misses its budget.

        A budget is the most that is allowed, or the least where higher is better. If noise hides
        the answer, it warns with InconclusiveWarning. Counted instructions have no seconds: that
        fails too.
        """
        from perfboard.analysis.budget import counted_words
        from perfboard.analysis.compare.comparison import label_name
        from perfboard.analysis.statistics.summary import judge
        from perfboard.model.run import TIMED_UNITS, Evidence, Outcome
        from perfboard.report.words.figures import quantity

        __tracebackhide__ = True
        known = {label_name(each): each for each in run.metrics if each.samples}
        if metric not in known:
            names = ", ".join(sorted({each.name for each in run.metrics})[:12])
            pytest.fail(f"run {run.id} has no metric {metric}; it has {names}, …")
        found = known[metric]
        if run.evidence is Evidence.COUNTED and found.unit in TIMED_UNITS:
            reason = counted_words("boot it with detail='timed'")
            pytest.fail(f"{metric}: {reason}")
        stated = run.stated(found.name) if found.unit in TIMED_UNITS else None
        verdict = judge(found, budget, run.evidence, stated.reach if stated else 0.0)
        value, low, high = (
            quantity(each, found.unit) for each in (verdict.value, verdict.low, verdict.high)
        )
        words = (
            f"{metric} is {value}, from {low} to {high}; the budget is "
            f"{quantity(budget, found.unit)} (run {run.id})"
        )
        if stated and stated.lack:
            words += f"; {stated.lack}"
        if verdict.outcome is Outcome.FAIL:
            pytest.fail(words)
        if verdict.outcome is Outcome.INCONCLUSIVE:
            warnings.warn(InconclusiveWarning(words), stacklevel=2)

    def _whole(self, run: "Run") -> "Run":
        __tracebackhide__ = True
        if run.errors:
            pytest.fail(f"{run.errors[0].message}\nThe run is {run.id}.")
        return run


@pytest.fixture(scope="session")
def perfboard_lab() -> "Lab":
    """The lab that `perfboard` works with; override it to measure by other means."""
    from perfboard.bench.lab import Lab

    return Lab()


@pytest.fixture
def perfboard(perfboard_lab: "Lab") -> BenchFixture:
    """Boots boards, runs probes, and holds figures against budgets."""
    from perfboard.host.programs.environment import set_up_environment

    set_up_environment()
    return BenchFixture(perfboard_lab)
