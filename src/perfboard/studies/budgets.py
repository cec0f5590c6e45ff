# SPDX-License-Identifier: Apache-2.0
"""Budgets that a command line gives, the same in each study: checked before, and held after it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from perfboard.analysis.budget import hold_limits
from perfboard.bench.base import Bench
from perfboard.measures.base import Measure, Quantity
from perfboard.measures.parameters import check_labels
from perfboard.model.budget import UNITS, Budget, MetricLimit, parse_limits
from perfboard.model.errors import UsageError, refusals
from perfboard.model.options import option
from perfboard.model.text import nearest
from perfboard.store.recording import Content


def budget_option(example: str, **details: Any) -> Any:
    """The field of the budgets of a study's metrics, of which one is `example`."""
    words = (
        f"a limit of a metric, as in '{example}': the run gets a verdict; labels in braces name "
        "one of several figures, as in {streams=1}, and p99 before the limit has it of the 99th "
        "percentile; repeatable"
    )
    details = {"parse": parse_limits, "metavar": "'METRIC <= X'", "repeated": True, **details}
    return option((), words, **details)


def check_limits(limits: Sequence[MetricLimit], measures: Sequence[Measure]) -> list[str]:
    """All that is wrong with limits of metrics that these measures give, a line each."""

    def check(limit: MetricLimit) -> None:
        where = f"--budget {limit.text}"
        for measure in measures:
            if (quantity := measure.quantity(limit.metric)) is not None:
                check_unit(limit.budget, quantity, where)
                check_labels(measure, limit.labels, where)
                return
        known = [each.name for measure in measures for each in measure.metrics]
        raise UsageError(
            f'{where}: nothing here gives a metric "{limit.metric}"'
            f"{nearest(limit.metric, known)} There are: {', '.join(known)}"
        )

    return [line for limit in limits for line in refusals(partial(check, limit))]


def check_unit(budget: Budget, quantity: Quantity, where: str) -> None:
    """Raises UsageError, which `where` begins, for a budget in a unit that is not its metric's."""
    if budget.unit != quantity.unit:
        written = {"1": 'none, or "%"'}.get(quantity.unit) or ", ".join(
            name for name, (base, _) in UNITS.items() if base == quantity.unit
        )
        raise UsageError(
            f'{where}: the budget "{budget.text}" is not in a unit of {quantity.name}, which is '
            f"{written}"
        )


def held(content: Content, limits: Sequence[MetricLimit], bench: Bench) -> Content:
    """The content with the verdicts of the limits."""
    subject = content.subject
    found = hold_limits(
        limits,
        content.metrics,
        subject.evidence,
        subject.board.timed_as,
        has_model=bench.facts.has_model,
    )
    return replace(content, verdicts=found.verdicts, no_verdicts=found.no_verdicts)
