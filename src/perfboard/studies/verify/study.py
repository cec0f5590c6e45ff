# SPDX-License-Identifier: Apache-2.0
"""Measures on a virtual board what was published of the real one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from perfboard.analysis.verify.parameters import parameters
from perfboard.analysis.verify.rows import (
    Claim,
    Verification,
    accuracy,
    measured,
    row_of,
    scale_of,
)
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.boards.margins import (
    CheckedFigure,
    checked,
    checked_rows,
    margins_from,
    margins_of,
    part_figures,
)
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import TargetError
from perfboard.model.published import PublishedValue
from perfboard.model.run import Metric, Run, Status
from perfboard.model.target import virtual_target
from perfboard.model.timed_as import stated_margin
from perfboard.studies.base import get_study
from perfboard.studies.probing import ProbeOptions, measure_jobs, measure_target
from perfboard.studies.verify.ahead import RunsAhead, runs_ahead
from perfboard.studies.verify.plan import Group, VerifyPlan
from perfboard.studies.verify.programs import MarginOf, Programs, measure_programs


@dataclass(frozen=True)
class Studies:
    """The studies that run on the board; a test gives others."""

    boot: Callable[[Request, Any, Lab], Run] = lambda *asked: get_study("boot").run(*asked)
    measure: Callable[[str, Request, Sequence[str], ProbeOptions, Lab], Run] = measure_target
    programs: Callable[
        [str, Sequence[PublishedValue], MarginOf, tuple[str, ...], Lab, RunsAhead], Programs
    ] = measure_programs
    jobs: Callable[[Sequence[str], Request, Lab], Run] = measure_jobs


@dataclass
class _Measurements:
    """The figures and runs so far."""

    metrics: dict[Group, tuple[Metric, ...]] = field(default_factory=dict)
    programs: Programs = field(default_factory=Programs)
    runs: list[str] = field(default_factory=list)
    interrupted: bool = False


_STUDIES = Studies()


def verify_board(
    plan: VerifyPlan, command: tuple[str, ...], lab: Lab, studies: Studies = _STUDIES
) -> Verification:
    """One run for each study and set of levels that the board's published figures are of.

    Flash has its own, which takes four times as long. The first run by probes measures the part's
    parameters too. Then there is one for each program that the figures are of. If it is
    interrupted, the rows of the runs that had ended are there. Raises KeyboardInterrupt if none
    had, and what stopped a study's run.
    """
    board, timing = plan.loaded.board, plan.timing
    kernel = board.image.kernel
    stated = margins_of(board)

    def margin(metric: str) -> float | None:
        return stated_margin(stated.margins, metric).share

    found = _measure(plan, margin, command, lab, studies)
    in_order = tuple(_rows(plan, found, margin))
    return Verification(
        board=board.name,
        part=timing.core.name,
        margins=stated.margins,
        found=margins_from(_figures(board, in_order)),
        source=stated.source,
        rows=in_order,
        accuracy=accuracy(in_order),
        runs=tuple(found.runs),
        parameters=tuple(parameters(timing, found.metrics[plan.plain])),
        kernel=kernel.source if isinstance(kernel, BuiltKernel) else "",
        interrupted=found.interrupted,
    )


def _measure(
    plan: VerifyPlan, margin: MarginOf, command: tuple[str, ...], lab: Lab, studies: Studies
) -> _Measurements:
    ahead, found = runs_ahead(plan), _Measurements()
    for group in plan.groups:
        try:
            run = _run_group(plan, group, command, ahead.lab_for(group, lab), studies)
            if run.status is Status.ABORTED:
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            # The parameters come from the first run.
            if not found.runs:
                raise
            found.interrupted = True
            return found
        for error in run.errors:
            raise TargetError(error.kind, f"Run {run.id} ended early: {error.message}")
        found.runs.append(run.id)
        found.metrics[group] = run.metrics
    published = plan.timing.published
    programs = studies.programs(plan.name, published, margin, command, lab, ahead)
    found.programs = programs
    found.runs += programs.runs
    found.interrupted = programs.interrupted
    return found


def _run_group(
    plan: VerifyPlan, group: Group, command: tuple[str, ...], lab: Lab, studies: Studies
) -> Run:
    kind, at = group
    request = Request(virtual_target(plan.name), dict(at), command)
    if kind == "boot":
        return studies.boot(request, get_study("boot").options(boots=1), lab)
    if kind == "measures":
        return studies.jobs(plan.measures(group), request, lab)
    options = ProbeOptions(plan.probe_time_s(group))
    return studies.measure("verify", request, plan.probes(group), options, lab)


def _rows(plan: VerifyPlan, found: _Measurements, margin: MarginOf) -> Iterator[Claim]:
    """The rows in the order of the board's file."""
    left_out = {metric for table in plan.timing.left_out for metric in table.metrics}
    for number, figure in enumerate(plan.timing.published):
        if figure.program is not None:
            unmeasured = row_of(figure, None, margin(figure.metric))
            row = found.programs.rows.get(number, unmeasured)
        else:
            here = found.metrics.get(plan.group(figure, figure.factors), ())
            less = found.metrics.get(plan.group(figure, figure.less), ()) if figure.less else ()
            row = row_of(figure, measured(here, figure, less), margin(figure.metric))
            row = replace(row, scaled_by=scale_of(here, figure))
        if figure.metric in left_out:
            row = replace(row, within=None, modelled=False)
        yield row


def _figures(board: VirtualBoard, rows: Sequence[Claim]) -> list[CheckedFigure]:
    """The board's figures as they were measured now, and its part's other boards' as recorded."""
    others = [figure for figure in part_figures(board) if figure.board != board.name]
    kept = checked_rows(board.timing)
    return others + [
        checked(board.name, row.published, row.ratio)
        for row in rows
        if row.ratio and row.published in kept
    ]
