# SPDX-License-Identifier: Apache-2.0
"""The budgets of a run and what came of each, as every export has them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.profile.conclusion import judged
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Metric, NoVerdict, Outcome, Run, Verdict
from perfboard.report.words.verdicts import no_verdict_sentence, verdict_sentence

# The worst first.
_WORST = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS)


@dataclass(frozen=True)
class HeldBudget:
    """A budget, on a profile's row or on a metric, by its name with labels.

    `metrics` are those of the run that were held against it. `outcome` is None where nothing was;
    `value` is in `unit`, and None of a row that failed without a figure. `words` say all of it.
    `decides` is False for a row that should pass, and need not.
    """

    name: str
    metrics: tuple[Metric, ...]
    outcome: Outcome | None
    value: float | None
    unit: str
    words: str
    decides: bool = True


def held_budgets(run: Run) -> tuple[HeldBudget, ...]:
    """Each budget of the run once: of a profile's rows, of its verdicts, and those without one."""
    rows = [row for result in run.results_of(ProfileResult) for row in result.rows]
    names = {row.name for row in rows}
    found: list[HeldBudget] = []
    for row in rows:
        labelled = [m for m in run.metrics if (m.name, m.labels) == (row.metric, row.labels)]
        decides = row.weight == "must"
        if (verdict := judged(row)) is not None:
            found.append(_held(verdict, labelled, run, decides))
        else:
            words = f"{row.name}: {row.reason}."
            found.append(
                HeldBudget(row.name, (), Outcome.FAIL, None, row.unit, words, decides=decides)
            )
    others: list[Verdict | NoVerdict] = [*run.verdicts, *run.no_verdicts]
    for each in others:
        if each.metric not in names:
            own = [metric for metric in run.metrics if label_name(metric) == each.metric]
            alike = [metric for metric in run.metrics if metric.name == each.metric]
            found.append(_held(each, own or (alike if len(alike) == 1 else []), run))
    return tuple(found)


def outcome_of(metric: Metric, held: Sequence[HeldBudget]) -> Outcome | None:
    """The worst outcome of the metric's budgets, or None if it has none.

    It is inconclusive where nothing was held against one.
    """
    own = (each for each in held if any(metric is one for one in each.metrics))
    outcomes = {each.outcome or Outcome.INCONCLUSIVE for each in own}
    return next((each for each in _WORST if each in outcomes), None)


def on_other_figures(held: Sequence[HeldBudget]) -> Iterator[HeldBudget]:
    """The budgets that do not stand for one metric under its own name."""
    for each in held:
        if each.name not in map(label_name, each.metrics):
            yield each


def _held(
    verdict: Verdict | NoVerdict, metrics: Sequence[Metric], run: Run, decides: bool = True
) -> HeldBudget:
    known = tuple(metric for metric in metrics if metric.extent)
    if isinstance(verdict, NoVerdict):
        words = no_verdict_sentence(verdict)
        return HeldBudget(verdict.name, known, None, None, verdict.unit, words, decides)
    return HeldBudget(
        name=verdict.name,
        metrics=known,
        outcome=verdict.outcome,
        value=verdict.value,
        unit=verdict.unit,
        words=verdict_sentence(verdict, run),
        decides=decides,
    )
