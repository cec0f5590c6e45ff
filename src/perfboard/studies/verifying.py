# SPDX-License-Identifier: Apache-2.0
"""Measures on a virtual board what was published of the real one."""

from dataclasses import replace

from perfboard.analysis.verification import Row, Verification, accuracy, probes_for, row_of, verify
from perfboard.boards.loader import load_board
from perfboard.boards.timing import DETAIL
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Status
from perfboard.studies.base import Request, get_study
from perfboard.studies.programs import Runner, measure_programs
from perfboard.studies.standard import measure_target


def verify_board(
    name: str, request: Request, progress: Progress, run: Runner | None = None
) -> Verification:
    """One run for each study and set of levels that the board's published figures are of.

    Then one by `run` for each program that they are of; without it they stay unmeasured.
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
            found[number] = row_of(figure, None, margin)
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
    if run is not None:
        of_programs, made_by_them = measure_programs(timing.published, margin, run, progress)
        found |= of_programs
        runs += made_by_them
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
