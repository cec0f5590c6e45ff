# SPDX-License-Identifier: Apache-2.0
"""The list of virtual boards: what each is, and how far its times can be trusted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfboard.model.board.real import RealBoard
from perfboard.model.board.virtual import DiskBoard, VirtualBoard
from perfboard.model.units import format_size
from perfboard.report.terminal import list_table, render
from perfboard.report.words.margins import margins_words


@dataclass(frozen=True)
class BoardRow:
    """A board in the list.

    `cpu` and `hz` are of the part that it is timed as; without a timing model they are QEMU's
    name and None. `ram` and `storage_size` are in bytes. `margin` is a share of each time.
    """

    name: str
    title: str
    cpu: str
    hz: int | None
    ram: int
    storage: str
    storage_size: int
    evidence: str
    margin: float | None


def board_rows(boards: Iterable[VirtualBoard]) -> list[BoardRow]:
    """A row for each board."""
    return [_row(board) for board in boards]


def _row(board: VirtualBoard) -> BoardRow:
    timing = board.timing
    if isinstance(board, DiskBoard):
        storage, size = "disk", board.disk.size
    else:
        storage, size = "flash", sum(bank.size for bank in board.flash.banks)
    return BoardRow(
        name=board.name,
        title=board.title,
        cpu=timing.core.name if timing else board.machine.cpu,
        hz=timing.clock.hz if timing else None,
        ram=board.machine.ram,
        storage=storage,
        storage_size=size,
        evidence="timed" if timing else "counted",
        margin=timing.margin.share if timing else None,
    )


def board_margins(board: VirtualBoard | RealBoard) -> str:
    """How far the board's times may be wrong, by class of work; "" without a timing model."""
    timing = None if isinstance(board, RealBoard) else board.timing
    if timing is None:
        return ""
    by_class = margins_words({work: margin.share for work, margin in timing.margins.items()})
    return f"Each time may be wrong by {timing.margin.share:.0%}. {by_class}".strip()


def boards_text(rows: Sequence[BoardRow]) -> str:
    """The boards, a line each, and what to type to know more."""
    table = list_table(
        ("board", "CPU", "MHz", "RAM", "storage", "seconds", "margin"),
        [
            (
                row.name,
                row.cpu,
                f"{row.hz / 1e6:.0f}" if row.hz else "",
                format_size(row.ram),
                f"{row.storage} {format_size(row.storage_size)}",
                row.evidence,
                f"±{row.margin:.0%}" if row.margin is not None else "",
            )
            for row in rows
        ],
    )
    return render([table, "", "`perfboard boards show BOARD` describes one."])
