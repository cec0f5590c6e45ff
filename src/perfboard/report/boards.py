# SPDX-License-Identifier: Apache-2.0
"""The virtual boards for someone who chooses one: the list, and a board by itself."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfboard.boards.margins import margins_of
from perfboard.model.board.real import RealBoard
from perfboard.model.board.sold import Sold
from perfboard.model.board.virtual import DiskBoard, VirtualBoard
from perfboard.model.target import command
from perfboard.model.timed_as import SEVERAL, StatedMargin
from perfboard.model.units import format_size, format_value
from perfboard.report.terminal import list_table, pair_table, render
from perfboard.report.words.margins import margins_words
from perfboard.report.words.medium import medium_word

if TYPE_CHECKING:
    from rich.table import Table

_NONE = "\N{EN DASH}"


@dataclass(frozen=True)
class BoardRow:
    """A board in the list.

    `cpu`, `hz` and `cores` are of the part that it is timed as; without a timing model they are
    QEMU's name, None, and the machine's. `ram` is in bytes, as sold where that is known, and
    `emulated_ram` what programs have here. `medium` is what kernel and root lie on. `network` and
    `price` are in words, "" if they are not known. `margin` is the
    share of its work of several classes, None where that is not known.
    """

    name: str
    title: str
    cpu: str
    cores: int
    hz: int | None
    ram: int
    emulated_ram: int
    medium: str
    network: str
    price: str
    evidence: str
    margin: float | None


def board_rows(boards: Iterable[VirtualBoard]) -> list[BoardRow]:
    """A row for each board."""
    return [_row(board) for board in boards]


def _row(board: VirtualBoard) -> BoardRow:
    timing, sold = board.timing, board.sold
    if isinstance(board, DiskBoard):
        medium = "disk"
    else:
        medium = medium_word(board.medium.name if board.medium else "")
    return BoardRow(
        name=board.name,
        title=board.title,
        cpu=timing.core.name if timing else board.machine.cpu,
        cores=board.machine.cpus,
        hz=timing.clock.hz if timing else None,
        ram=sold.memory if sold else board.machine.ram,
        emulated_ram=board.machine.ram,
        medium=medium,
        network=sold.network if sold else "",
        price=_price(sold),
        evidence="timed" if timing else "counted",
        margin=margins_of(board).margins.get(SEVERAL, StatedMargin()).share,
    )


def _price(sold: Sold | None) -> str:
    return f"{sold.currency}{sold.price:g}, {sold.on[:4]}" if sold and sold.price else ""


def board_margins(board: VirtualBoard) -> str:
    """How far the board's times may be wrong, by class of work; "" without a timing model."""
    if board.timing is None:
        return ""
    found = margins_of(board)
    return margins_words(found.margins, found.source)


def board_text(board: VirtualBoard | RealBoard, name: str) -> str:
    """A board; a virtual one as a buyer and a user of its times need it, in 24 lines.

    `name` is what the user calls it by: its name, or its file.
    """
    described = textwrap.fill(" ".join(board.description.split()), 78)
    parts: list[str | Table] = [f"{board.name}: {board.title}", "", described]
    if not isinstance(board, RealBoard):
        parts += ["", pair_table(_facts(board, name))]
    return render(parts)


def _facts(board: VirtualBoard, name: str) -> Iterator[tuple[str, str]]:
    row, sold, timing = _row(board), board.sold, board.timing
    clock = f" at {row.hz / 1e6:.0f} MHz" if row.hz else ""
    yield "processor", f"{row.cores} x {row.cpu}{clock}"
    emulated = f", of which programs have {format_size(row.emulated_ram)} here"
    yield "RAM", format_size(row.ram) + (emulated if row.emulated_ram != row.ram else "")
    yield "boots from", _medium_words(board)
    if sold:
        yield "as sold", f"{sold.medium}; network: {sold.network}"
        yield "price", _price(sold) or "no public source found"
    if not isinstance(board, DiskBoard) and (board.medium or board.firmware):
        firmware = board.firmware
        known = format_value(firmware.duration, "s") if firmware else "not published for this model"
        yield "firmware before", f"{known}, and not in the times of a boot"
    if words := board_margins(board):
        yield "margin", words
    for left in timing.left_out if timing else ():
        yield "not modelled", f"{', '.join(left.metrics)}: {left.reason}"
    yield "boot it", command("study", "boot", "--board", name)


def _medium_words(board: VirtualBoard) -> str:
    if isinstance(board, DiskBoard):
        return f"a disk of {format_size(board.disk.size)}"
    if board.medium is None:
        return "flash"
    transfer, ready = board.medium.disk.transfer, board.medium.disk.ready
    words = ["a card" if board.medium.name == "card" else "eMMC"]
    if transfer:
        words.append(f"{format_value(transfer.rate, 'B/s')}, {transfer.overhead_ms:g} ms a request")
    if ready:
        words.append(f"found after {ready.after_ms:g} ms")
    return ", ".join(words)


def boards_text(rows: Sequence[BoardRow]) -> str:
    """The boards, a line each, and what to type to know more."""
    table = list_table(
        ("board", "processor", "MHz", "RAM", "boots", "network", "margin", "price"),
        [
            (
                row.name,
                f"{row.cores} x {row.cpu}" if row.cores > 1 else row.cpu,
                f"{row.hz / 1e6:.0f}" if row.hz else "",
                format_size(row.ram),
                row.medium,
                row.network.partition(",")[0] or _NONE,
                _NONE if row.margin is None else f"\N{PLUS-MINUS SIGN}{row.margin:.0%}",
                row.price or _NONE,
            )
            for row in rows
        ],
        gap=1,
    )
    return render([table, "", "`perfboard boards show BOARD` describes one."])
