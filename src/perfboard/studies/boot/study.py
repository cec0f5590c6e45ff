# SPDX-License-Identifier: Apache-2.0
"""The boot study of 2009: where the time goes between reset and a usable system."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
from perfboard.model.budget import TOTAL, MetricLimit, parse_limits, total_limit
from perfboard.model.options import option, parse_count, parse_duration
from perfboard.model.run import Run
from perfboard.store.recording import Content
from perfboard.studies.budgets import budget_option, check_limits, held


def _parse_budgets(texts: Sequence[str]) -> tuple[MetricLimit, ...]:
    """A time alone, as --budget-s had it, is the whole boot's."""
    plain = re.compile(r"\s*[0-9]")
    return parse_limits(
        [f"{TOTAL} <= {parse_duration(t)} s" if plain.match(t) else t for t in texts]
    )


@dataclass(frozen=True)
class BootOptions(BenchOptions):
    """The options of `perfboard study boot`."""

    boots: int = option(
        3, "the number of boots (default: 3)", parse=parse_count("boots", 1, 1000), metavar="N"
    )
    budget: tuple[MetricLimit, ...] = budget_option(
        f"{TOTAL} <= 3 s", parse=_parse_budgets, formerly="budget_s"
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
        wrong = check_limits(options.budget, [get_measure("boot")])
        return [*wrong, *check_bench(request, options, boots=True)]

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
    if not limits and (own := bench.facts.boot_budget_s) is not None:
        limits = [total_limit(own)]
    # A boot that ended early has no metrics at all.
    limits = limits if found.metrics else ()
    content = Content(
        subject,
        metrics=found.metrics,
        results=found.results,
        notes=bench.notes,
        step=findings.place,
    )
    return held(content, limits, bench)


STUDY = BootStudy()
