# SPDX-License-Identifier: Apache-2.0
"""Study E (2009): where the time goes between reset and a usable system."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.analysis.budget import hold
from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.opening import BOOTABLE, check_bench, open_record
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.measures.base import Finding
from perfboard.measures.catalogue import get_measure
from perfboard.measures.loop import Findings, Item, measure_items, prepare
from perfboard.model.options import option, parse_count, parse_duration
from perfboard.model.profile import MetricLimit, parse_limits
from perfboard.model.run import NoVerdict, Run
from perfboard.store.recording import Content

_TOTAL = "boot.total"


def _parse_budgets(texts: Sequence[str]) -> tuple[MetricLimit, ...]:
    """Limits in seconds; a time alone, as --budget-s had it, is the whole boot's."""
    plain = re.compile(r"\s*[0-9]")
    limits = parse_limits(
        [f"{_TOTAL} <= {parse_duration(t)} s" if plain.match(t) else t for t in texts]
    )
    boot = get_measure("boot")
    for limit in limits:
        quantity = boot.quantity(limit.metric)
        if quantity is None or limit.budget.unit != "s" or limit.budget.least:
            raise ValueError(
                f'"{limit.metric} {limit.budget.text}" is not a most of seconds of a boot, as '
                f'"{_TOTAL} <= 3 s"'
            )
    return limits


@dataclass(frozen=True)
class BootOptions(BenchOptions):
    """The options of `perfboard study boot`."""

    boots: int = option(
        3, "the number of boots (default: 3)", parse=parse_count("boots", 1, 1000), metavar="N"
    )
    budget: tuple[MetricLimit, ...] = option(
        (),
        "the most seconds that the boot, or a phase of it, may take, as in 'boot.total <= 3 s': "
        "the run gets a verdict; repeatable (default: the board file's, if any)",
        parse=_parse_budgets,
        metavar="'METRIC <= S'",
        repeated=True,
        formerly="budget_s",
    )


@dataclass(frozen=True)
class BootStudy:
    """Boots a board several times and cuts each boot into phases."""

    name: str = "boot"
    title: str = "Boot time, phase by phase"
    question: str = "Where does the time go between reset and a usable system?"
    options: type[BootOptions] = BootOptions
    targets: tuple[str, ...] = BOOTABLE
    default_target: str = ""
    headline: str = "boot.total"

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """Those of the board verdex; others may have others."""
        board = load_board("verdex").board
        return {name: tuple(factor.levels) for name, factor in factors_of(board).items()}

    def check(self, request: Request, options: BootOptions) -> list[str]:
        return check_bench(request, options, boots=True)

    def run(self, request: Request, options: BootOptions, lab: Lab) -> Run:
        item = Item.of(get_measure("boot"), {"boots": options.boots})
        findings = Findings()
        with open_record(self.name, self.headline, request, options, lab) as (record, bench):
            prepare(bench, [item])
            with record.begin(lambda: _found(bench, findings, item, options.budget)):
                measure_items([item], bench, findings, lab)
        return record.run


def _found(bench: Bench, findings: Findings, item: Item, limits: Sequence[MetricLimit]) -> Content:
    subject, found = bench.subject(), findings.found.get(item.key, Finding())
    budgets = {limit.metric: limit.budget.value for limit in limits}
    if not budgets and (own := bench.facts.boot_budget_s) is not None:
        budgets = {_TOTAL: own}
    timed = subject.board.timed_as
    held = [
        hold(
            metric,
            budgets[metric.name],
            subject.evidence,
            stated=timed.stated(metric.name) if timed else None,
            has_model=bench.facts.has_model,
        )
        for metric in found.metrics
        if metric.name in budgets
    ]
    # A boot that ended early has no metrics at all.
    names = {metric.name for metric in found.metrics}
    missing = tuple(
        NoVerdict(metric=name, unit="s", budget=value, reason="no boot has a phase of that name")
        for name, value in budgets.items()
        if found.metrics and name not in names and name != _TOTAL
    )
    return Content(
        subject,
        metrics=found.metrics,
        results=found.results,
        notes=bench.notes,
        verdicts=tuple(verdict for each in held for verdict in each.verdicts),
        no_verdicts=(*(none for each in held for none in each.no_verdicts), *missing),
        step=findings.place,
    )


STUDY = BootStudy()
