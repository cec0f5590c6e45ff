# SPDX-License-Identifier: Apache-2.0
"""Measures a guide on one target, row by row; a run that was interrupted goes on."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import median

from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.opening import BOOTABLE, open_record
from perfboard.bench.request import Request
from perfboard.measures.base import Finding
from perfboard.measures.checks import check_items
from perfboard.measures.content import content_of, is_of
from perfboard.measures.loop import Findings, Item, measure_items, prepare
from perfboard.model.errors import INCONCLUSIVE, UsageError
from perfboard.model.profile import Value
from perfboard.model.results.guide import GuideResult
from perfboard.model.results.published import ComparedFigure, PublishedResult
from perfboard.model.run import Run, RunError
from perfboard.store.recording import Content
from perfboard.studies.budgets import check_limits, held
from perfboard.studies.guide.kept import KeptRows, earlier_guides, host_times, keep_rows
from perfboard.studies.guide.plan import Extent, GuidePlan, guide_of, is_probe, plan_guide
from perfboard.studies.guide.probing import GuideProbes, guide_probes
from perfboard.studies.measure import MeasureOptions

# The time of each probe, about, where the user gives none for all.
_PROBE_S = 3.0
_NO_END = (
    "the boot of a real board ends with a line of its console: give it as --usable 'login:', or "
    "as `usable` in the board's file"
)


@dataclass
class _Guide:
    """A guide under way on a bench."""

    plan: GuidePlan
    request: Request
    options: MeasureOptions
    lab: Lab
    bench: Bench
    findings: Findings = field(default_factory=Findings)
    kept: KeptRows = field(default_factory=KeptRows)
    times: dict[str, float] = field(default_factory=dict)

    def take_over(self) -> None:
        """Takes what the same command found before it was interrupted, and the host's times."""
        subject = self.bench.subject()
        earlier = earlier_guides(self.plan.name, subject.board.name)
        self.times = host_times(earlier)
        kept = keep_rows(earlier, subject, self.request.command)
        asked = {item.key for item in self.plan.items}
        found = {key: each for key, each in kept.found.items() if key in asked}
        self.kept = replace(kept, found=found)
        self.findings.found |= found
        self.findings.host_s |= kept.host_s

    def measure(self, probes: GuideProbes | None, server: ExitStack) -> None:
        """Measures all rows that are not found yet."""
        self.take_over()
        self._refuse_boots()
        # A console has one user: the server ends before the others are measured.
        with server:
            self._probe(probes)
        self._others()
        if not self.kept.fits(self.bench.subject().image):
            # Only now its kernel is known: what was taken over is of another one.
            self.findings.found = {
                key: each for key, each in self.findings.found.items() if key not in self.kept.found
            }
            self.kept = KeptRows()
            with ExitStack() as again:
                opened = self.opened(again) if self.plan.probes else None
                self._probe(opened)
            self._others()

    def opened(self, server: ExitStack) -> GuideProbes:
        """The probe's server, which ends with the stack."""
        probes = guide_probes(self.bench, self.options.cpu, self.findings, self.lab)
        return server.enter_context(probes)

    def content(self) -> Content:
        """All that was found, however it ended."""
        content = content_of(self.plan.items, self.findings, self.bench)
        result = GuideResult(
            guide=self.plan.name,
            extent=self.plan.extent,
            areas=self.plan.result_areas(),
            left_out=self.plan.result_left_out(self.bench.facts, self.times),
        )
        published = self._published(content)
        notes = content.notes
        if self.kept.run:
            names = self.kept.found
            notes = (*notes, f"{len(names)} rows were taken over from {self.kept.run}.")
        content = replace(content, results=(result, *content.results, *published), notes=notes)
        if content.metrics or self.findings.facts:
            return held(content, self.options.budget, self.bench)
        error = RunError(kind=INCONCLUSIVE, message="No row of the guide has measured anything.")
        return replace(content, errors=(error,))

    def _published(self, content: Content) -> tuple[PublishedResult, ...]:
        """The published figures of what was measured, but for those that a measure has itself."""
        own = {
            (row.metric, *sorted(row.labels.items()))
            for result in content.results
            if isinstance(result, PublishedResult)
            for row in result.rows
        }
        rows = tuple(
            ComparedFigure(
                metric=metric.name,
                labels=metric.labels,
                unit=metric.unit,
                published=known.value,
                here=median(metric.samples),
                source=known.source,
                differs=known.differs,
            )
            for metric in content.metrics
            for known in self.bench.facts.published
            if metric.samples and is_of(known, metric)
            if (known.metric, *sorted(known.labels.items())) not in own
        )
        return (PublishedResult(rows=rows),) if rows else ()

    def _refuse_boots(self) -> None:
        if _has_no_end(self.request, self.options):
            reason = Finding(reason=_NO_END)
            boots = (item for item in self.plan.items if item.measure.boots)
            self.findings.found |= {item.key: reason for item in boots}

    def _probe(self, probes: GuideProbes | None) -> None:
        areas: dict[str, list[Item]] = {}
        seen = {*self.findings.found}
        for title, items in self.plan.areas.items():
            own = [each for each in items if is_probe(each) and each.key not in seen]
            seen |= {each.key for each in own}
            if own:
                areas[title] = own
        if probes is not None and areas:
            count = len(list(chain(*areas.values())))
            time_s = _PROBE_S * count if self.options.time is None else self.options.time
            probes.measure(areas, time_s, self.findings)

    def _others(self) -> None:
        """The boots last: a board that hangs in one has the other rows."""
        others = [item for item in self.plan.items if not is_probe(item)]
        order = sorted(others, key=lambda item: item.measure.boots)
        measure_items(order, self.bench, self.findings, self.lab, self.times)


def measure_guide(
    name: str,
    extent: Extent,
    given: Mapping[str, Value],
    request: Request,
    options: MeasureOptions,
    lab: Lab,
) -> Run:
    """Measures a guide, and stores the run; what the same command had before is taken over.

    Raises UsageError with all that is wrong, before anything is opened.
    """
    plan = check_guide(name, extent, given, request, options)
    with (
        open_record(plan.name, "", request, options, lab) as (record, bench),
        ExitStack() as server,
    ):
        guide = _Guide(plan, request, options, lab, bench)
        prepare(bench, _openable(plan, request, options))
        probes = guide.opened(server) if plan.probes else None
        with record.begin(guide.content):
            guide.measure(probes, server)
    return record.run


def check_guide(
    name: str,
    extent: Extent,
    given: Mapping[str, Value],
    request: Request,
    options: MeasureOptions,
) -> GuidePlan:
    """The plan of that guide. Raises UsageError with all that is wrong, a line each."""
    known = guide_of([name])
    if known is None:
        raise UsageError(f"{name}: is no guide; `perfboard measure {name}` measures it")
    plan = plan_guide(*known, extent, given)
    items = plan.items
    wrong = check_items(_openable(plan, request, options), request, options)
    wrong += check_limits(options.budget, [item.measure.given(item.parameters) for item in items])
    for option, value in (("--cpu", options.cpu), ("--time", options.time)):
        if value is not None and not plan.probes:
            wrong.append(f"{option}: is for probes, and none is measured here; omit it")
    if wrong:
        raise UsageError("\n".join(wrong))
    return plan


def _openable(plan: GuidePlan, request: Request, options: MeasureOptions) -> list[Item]:
    """The items that are not probes, without boots that nothing would end."""
    boots = not _has_no_end(request, options)
    return [item for item in plan.items if not is_probe(item) and (boots or not item.measure.boots)]


def _has_no_end(request: Request, options: MeasureOptions) -> bool:
    kind = request.target.partition(":")[0]
    return kind in BOOTABLE and kind != "virtual" and not options.usable
