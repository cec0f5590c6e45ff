# SPDX-License-Identifier: Apache-2.0
"""Measures on a virtual board what was published of the real one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from perfboard.analysis.verify.parameters import PROBES, parameters
from perfboard.analysis.verify.rows import (
    Claim,
    Verification,
    accuracy,
    measured,
    probes_for,
    row_of,
    scale_of,
)
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.binaries.probes import all_probes
from perfboard.boards.loader import load_board
from perfboard.boards.margins import (
    CheckedFigure,
    checked,
    checked_rows,
    margins_from,
    margins_of,
    part_figures,
)
from perfboard.boards.scope_text import TIMED
from perfboard.factors.choose import choose, factors_of
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.published import PublishedValue
from perfboard.model.run import Metric, Run, Status
from perfboard.model.target import virtual_target
from perfboard.model.timed_as import stated_margin
from perfboard.studies.base import get_study
from perfboard.studies.probing import ProbeOptions, measure_target
from perfboard.studies.verify.programs import MarginOf, Programs, measure_programs

# The measuring study, and its levels: the boot study, the probe of flash, or other probes.
_Group = tuple[Literal["boot", "flash", "probes"], tuple[tuple[str, str], ...]]
# Times the budget: a block can take a second of flash, and costs the host next to nothing.
_OF_FLASH = 4


@dataclass(frozen=True)
class Studies:
    """The studies that run on the board; a test gives others."""

    boot: Callable[[Request, Any, Lab], Run] = lambda *asked: get_study("boot").run(*asked)
    measure: Callable[[str, Request, Sequence[str], ProbeOptions, Lab], Run] = measure_target
    programs: Callable[
        [str, Sequence[PublishedValue], MarginOf, tuple[str, ...], Lab], Programs
    ] = measure_programs


_STUDIES = Studies()


def verify_board(
    name: str, command: tuple[str, ...], budget_s: float, lab: Lab, studies: Studies = _STUDIES
) -> Verification:
    """One run for each study and set of levels that the board's published figures are of.

    Flash has its own, of four times the budget. The first run by probes measures the part's
    parameters too. Then there is one for each program that the figures are of. Raises
    UsageError for a board without a timing model, and for levels that it has not, and what
    stopped a study's run.
    """
    loaded = load_board(name)
    board = loaded.board
    timing = board.timing
    if timing is None:
        raise UsageError(
            f"board {board.name} has no timing model to be verified; its file wants [timing]"
        )
    kernel = board.image.kernel
    defaults = {factor: next(iter(levels)) for factor, levels in timing.factors.items()}
    unnamed = {name: factor.default for name, factor in factors_of(board).items()}

    def group(figure: PublishedValue, levels: Mapping[str, str]) -> _Group:
        # A default that is named makes no other run.
        named = {f: level for f, level in levels.items() if level != unnamed.get(f)}
        at = tuple(sorted({**defaults, **named, **TIMED}.items()))
        if figure.metric.startswith("boot."):
            return "boot", at
        return "flash" if figure.metric.startswith("flash.") else "probes", at

    of_probes = {n: f for n, f in enumerate(timing.published) if f.program is None}
    plain: _Group = ("probes", tuple(sorted({**defaults, **TIMED}.items())))
    groups: dict[_Group, list[PublishedValue]] = {plain: []}
    for figure in of_probes.values():
        for levels in (figure.factors, figure.less) if figure.less else (figure.factors,):
            groups.setdefault(group(figure, levels), []).append(figure)
    for levels in (*(dict(at) for _, at in groups), *(f.factors for f in timing.published)):
        choose(loaded, levels)
    stated = margins_of(board)

    def margin(metric: str) -> float | None:
        return stated_margin(stated.margins, metric).share

    metrics: dict[_Group, tuple[Metric, ...]] = {}
    runs = []
    for (kind, at), figures in groups.items():
        request = Request(virtual_target(name), dict(at), command)
        if kind == "boot":
            run = studies.boot(request, get_study("boot").options(boots=1), lab)
        else:
            known = {probe.name: [name for name, *_ in probe.metrics] for probe in all_probes()}
            probes = probes_for(figures, known) + (list(PROBES) if (kind, at) == plain else [])
            options = ProbeOptions(budget_s * _OF_FLASH if kind == "flash" else budget_s)
            run = studies.measure("verify", request, sorted({*probes}), options, lab)
        if run.status is Status.ABORTED:
            raise KeyboardInterrupt
        for error in run.errors:
            raise TargetError(error.kind, f"Run {run.id} ended early: {error.message}")
        runs.append(run.id)
        metrics[kind, at] = run.metrics
    found = {}
    for number, figure in of_probes.items():
        less = metrics[group(figure, figure.less)] if figure.less else ()
        here = metrics[group(figure, figure.factors)]
        row = row_of(figure, measured(here, figure, less), margin(figure.metric))
        found[number] = replace(row, scaled_by=scale_of(here, figure))
    of_programs, their_runs = studies.programs(name, timing.published, margin, command, lab)
    found |= of_programs
    runs += their_runs
    left_out = {metric for table in timing.left_out for metric in table.metrics}
    in_order = tuple(
        replace(found[number], within=None, modelled=False)
        if figure.metric in left_out
        else found[number]
        for number, figure in enumerate(timing.published)
    )
    return Verification(
        board=board.name,
        part=timing.core.name,
        margins=stated.margins,
        found=margins_from(_figures(board, in_order)),
        source=stated.source,
        rows=in_order,
        accuracy=accuracy(in_order),
        runs=tuple(runs),
        parameters=tuple(parameters(timing, metrics[plain])),
        kernel=kernel.source if isinstance(kernel, BuiltKernel) else "",
    )


def _figures(board: VirtualBoard, rows: Sequence[Claim]) -> list[CheckedFigure]:
    """The board's figures as they were measured now, and its part's other boards' as recorded."""
    others = [figure for figure in part_figures(board) if figure.board != board.name]
    kept = checked_rows(board.timing)
    return others + [
        checked(board.name, row.published, row.ratio)
        for row in rows
        if row.ratio and row.published in kept
    ]
