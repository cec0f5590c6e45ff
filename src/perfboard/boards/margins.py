# SPDX-License-Identifier: Apache-2.0
"""How near a board's times are known to be: margins by class of work, from the checked figures.

The errors of a part are those of all boards with it. They are taken as the logarithm of the virtual
figure over the published one, and as normal around no error. The figures of one board and class are
a group, and each group counts as much as another, so the spread between boards is in the margin: it
is the root of the mean of the groups' mean squares, times Student's t of as many degrees of freedom
as there are figures, less one for each group after the first.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfboard.boards.loader import list_boards, load_board
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.published import PublishedValue
from perfboard.model.run import TIMED_UNITS
from perfboard.model.timed_as import FEWEST, SEVERAL, StatedMargin, error_of
from perfboard.model.timing.part import Timing
from perfboard.model.work import work_of

# The 97.5th percentile of Student's t, by degrees of freedom from 1 on: 95 % lie between it and its
# negative. scipy.stats has it, and would make a list of boards start half a second later.
_STUDENT = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
# A margin names the boards that it rests on, if they are as few.
_MOST_NAMED = 3


@dataclass(frozen=True)
class CheckedFigure:
    """A published figure that set no parameter: its board, class of work, and ratio.

    The ratio is the virtual figure over the published one.
    """

    board: str
    work: str
    ratio: float


@dataclass(frozen=True)
class BoardMargins:
    """The margins by class of work, as a run records them, and what they rest on in words."""

    margins: dict[str, StatedMargin]
    source: str


def margins_of(board: VirtualBoard) -> BoardMargins:
    """Those of a board with a timing model, by its own figures and those of its part's boards."""
    figures = part_figures(board)
    names = list(dict.fromkeys(figure.board for figure in figures))
    if not names:
        return BoardMargins({}, "no published figure of the part was held against the model")
    boards = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if len(names) > _MOST_NAMED:
        boards = f"{len(names)} boards with it"
    count = f"{len(figures)} published figure{'s' if len(figures) > 1 else ''}"
    return BoardMargins(margins_from(figures), f"{count} of {boards}")


def margins_from(figures: Sequence[CheckedFigure]) -> dict[str, StatedMargin]:
    """The margin of each class that there are figures of, and of work of several classes.

    Figures of one class tell nothing of several. Neither do those of the network: a boot or a
    program of the user's, which have no class of their own, hold little of it.
    """
    works = dict.fromkeys(figure.work for figure in figures)
    found = {work: [figure for figure in figures if figure.work == work] for work in works}
    ratios = {work: _by_board(own) for work, own in found.items()}
    if len(pooled := {figure.work for figure in figures} - {"network"}) > 1:
        found[SEVERAL] = [figure for figure in figures if figure.work in pooled]
    return {
        work: _stated(own).model_copy(update={"ratios": ratios.get(work, ())})
        for work, own in found.items()
    }


def _by_board(figures: Sequence[CheckedFigure]) -> tuple[tuple[float, ...], ...]:
    # In an order of their own, so that boards of one part have the same.
    boards = {figure.board for figure in figures}
    return tuple(sorted(tuple(f.ratio for f in figures if f.board == board) for board in boards))


def part_figures(board: VirtualBoard) -> list[CheckedFigure]:
    """The figures of the board's file, and of the other boards here that have its part."""
    if board.timing is None:
        return []
    others = [load_board(name).board for name in list_boards() if name != board.name]
    boards = [board, *(each for each in others if _part(each) == board.timing.part)]
    seen: set[str] = set()
    figures = []
    for each in boards:
        rows = {row.model_dump_json(): row for row in checked_rows(each.timing)}
        # A board of the user's that is like one of these has its figures too.
        own = [row for text, row in rows.items() if text not in seen]
        seen |= rows.keys()
        figures += [checked(each.name, row, row.ratio) for row in own if row.ratio]
    return figures


def checked_rows(timing: Timing | None) -> list[PublishedValue]:
    """The rows of times and rates that set no parameter, of metrics that the model gives."""
    if timing is None:
        return []
    left_out = {metric for table in timing.left_out for metric in table.metrics}
    return [
        row
        for row in timing.published
        if row.use != "calibration" and row.metric not in left_out and row.unit in TIMED_UNITS
    ]


def checked(board: str, row: PublishedValue, ratio: float) -> CheckedFigure:
    """The row as a figure that the model was checked by."""
    return CheckedFigure(board, work_of(row.metric) or SEVERAL, ratio)


def _part(board: VirtualBoard) -> str | None:
    return board.timing.part if board.timing else None


def _stated(figures: Sequence[CheckedFigure]) -> StatedMargin:
    worst = max(error_of(figure.ratio) for figure in figures)
    if len(figures) < FEWEST:
        return StatedMargin(worst=worst, rows=len(figures))
    others = ([*figures[:place], *figures[place + 1 :]] for place in range(len(figures)))
    covered = sum(
        error_of(figure.ratio) <= _share(rest) for figure, rest in zip(figures, others, strict=True)
    )
    return StatedMargin(share=_share(figures), worst=worst, rows=len(figures), covered=covered)


def _share(figures: Iterable[CheckedFigure]) -> float:
    """The share that a further figure is off by at most, in 95 of 100 cases."""
    groups: dict[tuple[str, str], list[float]] = {}
    for figure in figures:
        groups.setdefault((figure.board, figure.work), []).append(math.log(figure.ratio) ** 2)
    rows = sum(len(squares) for squares in groups.values())
    # Exact sums: boards of one part give the same margin in any order.
    means = [math.fsum(own) / len(own) for own in groups.values()]
    spread = math.sqrt(math.fsum(means) / len(means))
    freedom = max(1, rows - len(groups) + 1)
    return math.expm1(student(freedom) * spread)


def student(freedom: int) -> float:
    """Student's t that 95 % lie within on either side of 0, to 0.1 %."""
    # Beyond the table, the first terms of its expansion around the normal distribution's.
    return (
        _STUDENT[freedom - 1]
        if freedom <= len(_STUDENT)
        else 1.96 + 2.372 / freedom + 2.82 / freedom**2
    )
