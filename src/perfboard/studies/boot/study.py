# SPDX-License-Identifier: Apache-2.0
"""Study E (2009): where the time goes between reset and a usable system."""

from collections.abc import Mapping
from dataclasses import dataclass

from perfboard.analysis.budget import Held, hold
from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.opening import board_name, open_bench
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.measures.base import Finding
from perfboard.measures.catalogue import get_measure
from perfboard.measures.loop import Findings, Item, measure_items, prepare
from perfboard.model.options import option, parse_count, parse_duration
from perfboard.model.run import Run
from perfboard.store.recording import Found
from perfboard.targets.wired import SCHEMES


@dataclass(frozen=True)
class BootOptions(BenchOptions):
    """The options of `perfboard study boot`."""

    boots: int = option(
        3, "the number of boots (default: 3)", parse=parse_count("boots", 1, 1000), metavar="N"
    )
    budget_s: float | None = option(
        None,
        "the seconds that the whole boot may take: the run gets a verdict (default: the board "
        "file's, if any)",
        parse=parse_duration,
        metavar="S",
    )


@dataclass(frozen=True)
class BootStudy:
    """Boots a board several times and cuts each boot into phases."""

    name: str = "boot"
    title: str = "Boot time, phase by phase"
    question: str = "Where does the time go between reset and a usable system?"
    options: type[BootOptions] = BootOptions
    targets: tuple[str, ...] = ("virtual", *SCHEMES)
    default_target: str = ""
    headline: str = "boot.total"

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """Those of the board verdex; others may have others."""
        board = load_board("verdex").board
        return {name: tuple(factor.levels) for name, factor in factors_of(board).items()}

    def run(self, request: Request, options: BootOptions, lab: Lab) -> Run:
        """See `studies.base.Study`."""
        item = Item(get_measure("boot"), {"boots": options.boots})
        findings = Findings()
        with lab.record(self.name, board_name(request), request.command, self.headline) as record:
            artifacts = record.folder.artifact_path("console.log").parent
            with open_bench(request, options, lab, artifacts) as bench:
                prepare(bench, [item])
                with record.begin(lambda: _found(bench, findings, item, options.budget_s)):
                    measure_items([item], bench, findings, lab, {})
        return record.run


def _found(bench: Bench, findings: Findings, item: Item, budget_s: float | None) -> Found:
    subject, found = bench.subject(), findings.found.get(item.key, Finding())
    budget_s = bench.facts.boot_budget_s if budget_s is None else budget_s
    held = Held()
    for figure in found.figures:
        if budget_s is not None:
            timed = subject.board.timed_as
            held = hold(
                figure.metric,
                budget_s,
                subject.evidence,
                margin=timed.margin if timed else 0.0,
                has_model=bench.facts.has_model,
            )
    return Found(
        subject,
        metrics=found.metrics,
        results=found.results,
        notes=bench.notes,
        verdicts=held.verdicts,
        no_verdicts=held.no_verdicts,
        step=findings.place,
    )


STUDY = BootStudy()
