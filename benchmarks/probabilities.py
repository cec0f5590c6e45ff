# SPDX-License-Identifier: Apache-2.0
"""Whether budgets that are said to be kept with probability 0.9 are: by the boards' own figures.

usage: python benchmarks/probabilities.py

For each published figure that set no parameter, the others of its class and part say at which
budget a board keeps it with probability 0.9. The table has in how many of 100 the real board's own
figure kept that: at most for a time, at least for a rate; then the other way round; then of both.
Below it is the same where all figures of the row's board are left out, and those of the part's
other boards say it. Nothing is measured: the ratios are those of the board files.
"""

import math
from collections import Counter
from dataclasses import dataclass

from scipy.special import stdtrit

from perfboard.analysis.probability import SURE, law_of
from perfboard.boards.loader import list_boards, load_board
from perfboard.boards.margins import CheckedFigure, checked, checked_rows
from perfboard.model.timed_as import FEWEST

# A figure that is left out is not among those that are needed.
_FEWEST = FEWEST - 1


@dataclass(frozen=True)
class PartFigure:
    """A published figure of a board with that part; `most`: a budget of it is the most."""

    part: str
    figure: CheckedFigure
    most: bool


def figures() -> list[PartFigure]:
    """Those of all boards."""
    found = []
    for board in (load_board(name).board for name in list_boards()):
        if board.timing is None:
            continue
        for row in checked_rows(board.timing):
            if row.ratio:
                own = checked(board.name, row, row.ratio)
                found.append(PartFigure(board.timing.part, own, row.unit == "s"))
    return found


def keeps(one: CheckedFigure, others: list[CheckedFigure]) -> tuple[bool, bool] | None:
    """Whether the figure keeps the most, and the least, that the others say; None: too few."""
    boards = dict.fromkeys(other.board for other in others)
    law = law_of(([o.ratio for o in others if o.board == name] for name in boards), _FEWEST)
    if law is None:
        return None
    far = math.hypot(law.together, law.alone) * float(stdtrit(law.freedom, SURE))
    # The real figure is the model's over the ratio, and the budget lies so far beyond the model's.
    return -math.log(one.ratio) <= far, -math.log(one.ratio) >= -far


def counted(known: list[PartFigure], board_too: bool) -> Counter[tuple[str, str]]:
    """The rows of each class, those that kept their budget, and those that kept the other one."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in known:
        others = [
            each.figure
            for each in known
            if (each.part, each.figure.work) == (one.part, one.figure.work)
            and each is not one
            and not (board_too and each.figure.board == one.figure.board)
        ]
        if (both := keeps(one.figure, others)) is None:
            continue
        own, turned = both if one.most else both[::-1]
        for work in (one.figure.work, "all"):
            counts.update({(work, "rows"): 1, (work, "own"): own, (work, "turned"): turned})
    return counts


def main() -> None:
    for title, board_too in (("a figure left out", False), ("its board left out", True)):
        counts = counted(figures(), board_too)
        print(f"{title}: of 100 budgets said to be kept with probability {SURE:g}")
        print(f"  {'class':10}{'rows':>6}{'kept':>8}{'turned':>8}{'both':>8}")
        for work in (*sorted({work for work, _ in counts} - {"all"}), "all"):
            rows, own, turned = (counts[work, each] for each in ("rows", "own", "turned"))
            shares = (100 * own / rows, 100 * turned / rows, 50 * (own + turned) / rows)
            print(f"  {work:10}{rows:6}" + "".join(f"{share:8.0f}" for share in shares))


if __name__ == "__main__":
    main()
