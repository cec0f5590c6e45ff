# SPDX-License-Identifier: Apache-2.0
"""What `boards verify` finds of a board whose figures are as its file says, for tests."""

from collections.abc import Mapping
from dataclasses import replace

from perfboard.analysis.verify.parameters import PartParameter
from perfboard.analysis.verify.rows import Verification, accuracy, row_of
from perfboard.boards.loader import load_board
from perfboard.boards.margins import margins_of
from perfboard.model.timed_as import stated_margin


def verification(name: str, ratios: Mapping[int, float | None] | None = None) -> Verification:
    """Each row has the ratio of `ratios`, by its number, or else of the file, or else 1."""
    board = load_board(name).board
    assert board.timing is not None
    stated = margins_of(board)
    rows = []
    for number, figure in enumerate(board.timing.published):
        ratio = (ratios or {}).get(number, figure.ratio or 1.0)
        virtual = None if ratio is None else figure.value * ratio
        rows.append(row_of(figure, virtual, stated_margin(stated.margins, figure.metric).share))
    left_out = {metric for table in board.timing.left_out for metric in table.metrics}
    rows = [
        replace(row, within=None, modelled=False) if row.published.metric in left_out else row
        for row in rows
    ]
    hz = board.timing.clock.hz
    return Verification(
        board=board.name,
        part=board.timing.core.name,
        margins=stated.margins,
        found=stated.margins,
        source=stated.source,
        rows=tuple(rows),
        accuracy=accuracy(rows),
        runs=("run-1", "run-2"),
        parameters=(PartParameter("clock", "1/s", hz, hz),),
        kernel="linux-source-6.1",
    )
