# SPDX-License-Identifier: Apache-2.0
"""Measures on a virtual board what was published of the real one."""

from dataclasses import replace

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

    Then one for each program that they are of.
    Raises UsageError for a board without such figures, and what stopped a study's run.
    """
    board = load_board(name).board
    timing = board.timing
    if timing is None or not timing.published:
        raise UsageError(
            f"board {board.name} has no published figures to be held against; its file wants "
            "[timing] with [[timing.published]]"
        )
    margin = timing.margin.share
    groups: dict[tuple[bool, tuple[tuple[str, str], ...]], list[int]] = {}
    found: dict[int, Row] = {}
    for number, figure in enumerate(timing.published):
        if figure.program is not None:
            continue
        levels = tuple(sorted({**figure.factors, DETAIL: "timed"}.items()))
        groups.setdefault((figure.metric.startswith("boot."), levels), []).append(number)
    runs = []
    for (boots, levels), numbers in groups.items():
        figures = [timing.published[number] for number in numbers]
        asked = replace(request, target=f"virtual:{name}", factors=dict(levels))
        if boots:
            made = get_study("boot").run(asked, progress)
        else:
            made = measure_target("verify", asked, probes_for(figures), progress)
        if made.status is Status.ABORTED:
            raise KeyboardInterrupt
        for error in made.errors:
            raise TargetError(error.kind, f"Run {made.id} ended early: {error.message}")
        runs.append(made.id)
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
    )
