# SPDX-License-Identifier: Apache-2.0
"""Measures on a virtual board what was published of the real one."""

from dataclasses import replace

from perfboard.analysis.parameters import PROBES, Parameter, parameters
from perfboard.analysis.verification import Row, Verification, accuracy, probes_for, verify
from perfboard.boards.loader import load_board
from perfboard.boards.timing import DETAIL
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Status
from perfboard.studies.base import Request, get_study
from perfboard.studies.programs import measure_programs
from perfboard.studies.standard import measure_target


def verify_board(name: str, request: Request, progress: Progress) -> Verification:
    """One run for each study and set of levels that the board's published figures are of.

    The first run by probes measures the part's parameters too. Then there is one for each
    program that the figures are of. Raises UsageError for a board without a timing model, and
    what stopped a study's run.
    """
    board = load_board(name).board
    timing = board.timing
    if timing is None:
        raise UsageError(
            f"board {board.name} has no timing model to be verified; its file wants [timing]"
        )
    margin = timing.margin.share
    defaults = {factor: next(iter(levels)) for factor, levels in timing.factors.items()}
    plain = tuple(sorted({**defaults, DETAIL: "timed"}.items()))
    groups: dict[tuple[bool, tuple[tuple[str, str], ...]], list[int]] = {(False, plain): []}
    found: dict[int, Row] = {}
    for number, figure in enumerate(timing.published):
        if figure.program is not None:
            continue
        levels = tuple(sorted({**defaults, **figure.factors, DETAIL: "timed"}.items()))
        groups.setdefault((figure.metric.startswith("boot."), levels), []).append(number)
    runs = []
    of_part: tuple[Parameter, ...] = ()
    for (boots, levels), numbers in groups.items():
        figures = [timing.published[number] for number in numbers]
        asked = replace(request, target=f"virtual:{name}", factors=dict(levels))
        if boots:
            made = get_study("boot").run(asked, progress)
        else:
            probes = probes_for(figures) + (list(PROBES) if levels == plain else [])
            made = measure_target("verify", asked, sorted({*probes}), progress)
        if made.status is Status.ABORTED:
            raise KeyboardInterrupt
        for error in made.errors:
            raise TargetError(error.kind, f"Run {made.id} ended early: {error.message}")
        runs.append(made.id)
        if (boots, levels) == (False, plain):
            of_part = tuple(parameters(timing, made.metrics))
        rows = verify(made.metrics, figures, margin)
        found |= dict(zip(numbers, rows, strict=True))
    of_programs, their_runs = measure_programs(name, timing.published, margin, request, progress)
    found |= of_programs
    runs += their_runs
    in_order = tuple(found[number] for number in range(len(timing.published)))
    return Verification(
        board=board.name,
        part=timing.core.name,
        margin=margin,
        margin_source=timing.margin.source,
        rows=in_order,
        accuracy=accuracy(in_order),
        runs=tuple(runs),
        parameters=of_part,
    )
