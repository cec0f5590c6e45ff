# SPDX-License-Identifier: Apache-2.0
"""Runs a plan of items on one board, and stores what they found."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.opening import BOOTABLE, open_record
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.measures.checks import check_items
from perfboard.measures.content import content_of
from perfboard.measures.loop import Findings, Item, measure_items, prepare
from perfboard.measures.probe.probes import Probe
from perfboard.measures.probe.together import probe_rounds
from perfboard.model.budget import MetricLimit
from perfboard.model.errors import INCONCLUSIVE
from perfboard.model.run import Run, RunError
from perfboard.store.recording import Content
from perfboard.studies.budgets import check_limits, held


@dataclass(frozen=True)
class Plan:
    """Items for one run of `study`.

    Probes at their defaults run in turn with each other for `time_s` together, on the processor
    `cpu` if it is given; the others follow one by one. The metrics are held against `limits`.
    """

    study: str
    items: Sequence[Item]
    time_s: float
    cpu: int | None = None
    limits: Sequence[MetricLimit] = ()

    @property
    def probes(self) -> list[Item]:
        """Those that run in turn."""
        return [
            item
            for item in self.items
            if isinstance(item.measure, Probe) and item.parameters == item.measure.defaults()
        ]


def check_plan(plan: Plan, request: Request, options: BenchOptions) -> list[str]:
    """All that is wrong with the plan, a line each, by files alone."""
    wrong = check_items(plan.items, request, options)
    boots = [item.measure.boots for item in plan.items]
    if boots and all(boots) and request.target.partition(":")[0] not in BOOTABLE:
        wrong.append(
            f"{plan.items[0].measure.name}: {request.target} is a running system, and is not "
            "booted: that needs its console, on --target serial:///dev/NAME or labgrid://PLACE"
        )
    if plan.cpu is not None and not plan.probes:
        wrong.append("--cpu: is for probes, and none is measured here; omit it")
    return [
        *wrong,
        *check_limits(plan.limits, [item.measure.given(item.parameters) for item in plan.items]),
    ]


def run_plan(plan: Plan, request: Request, options: BenchOptions, lab: Lab) -> Run:
    """Measures all items on the board, and stores the run, one that failed or was ended too.

    Raises PerfboardError for what is wrong before anything is measured.
    """
    probes, findings = plan.probes, Findings()
    others = [item for item in plan.items if item not in probes]
    with (
        open_record(plan.study, "", request, options, lab) as (record, bench),
        ExitStack() as server,
    ):
        prepare(bench, others)
        rounds = (
            server.enter_context(probe_rounds(probes, bench, plan.time_s, plan.cpu, findings, lab))
            if probes
            else None
        )
        with record.begin(lambda: _content(plan, findings, bench)):
            # A console has one user: the server ends before the others are measured.
            with server:
                if rounds is not None:
                    rounds.run(findings, lab)
            measure_items(others, bench, findings, lab)
    return record.run


def _content(plan: Plan, findings: Findings, bench: Bench) -> Content:
    content = content_of(plan.items, findings, bench)
    if content.metrics or findings.facts:
        return held(content, plan.limits, bench)
    reasons = {found.reason: None for found in findings.found.values() if found.reason}
    what = "No probe has" if len(plan.probes) == len(plan.items) else "No measure has"
    message = f"{what} measured anything: {' '.join(reasons)}"
    return replace(content, errors=(RunError(kind=INCONCLUSIVE, message=message),))
