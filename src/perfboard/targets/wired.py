# SPDX-License-Identifier: Apache-2.0
"""Boards that are booted from reset by their console: on a line of ours, or in a labgrid place."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from perfboard.model.progress import Progress
from perfboard.model.run import Evidence
from perfboard.targets.labgrid.place import Place, open_place
from perfboard.targets.serial.boot import Switch
from perfboard.targets.serial.line import PSEUDO_NOTE, SerialLine, open_line, parse_line

SCHEMES = ("serial", "labgrid")


@dataclass(frozen=True)
class ConsoleBoard:
    """An open line, and what is known of the board at it before it says a word.

    `title` and `description` are for a board that does not name itself. `baud` is None where the
    line has no rate. Without a `switch`, its own shell or a command has to reset the board.
    """

    line: SerialLine
    title: str
    description: str
    baud: int | None
    switch: Switch | None = None
    notes: tuple[str, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def open_wired(text: str, progress: Progress) -> Iterator[ConsoleBoard]:
    """The board of the target that the user wrote as `text`. Raises UsageError for a wrong one."""
    if text.startswith("labgrid:"):
        with open_place(text, progress) as place:
            place.open_console()
            yield _in_place(place)
        return
    with open_line(text) as line:
        yield _on_line(line, text)


def _in_place(place: Place) -> ConsoleBoard:
    has = place.has
    return ConsoleBoard(
        place.line,
        "a board in a labgrid place",
        "A board of which the console was seen.",
        # A TCP port has no rate that is known.
        None if has.wire == "raw" else has.speed,
        place if has.power or has.reset else None,
        place.notes,
        {"labgrid": has.version},
    )


def _on_line(line: SerialLine, text: str) -> ConsoleBoard:
    if line.evidence is Evidence.HOST:
        title, description = "a pseudo-terminal", "A program that prints on a pseudo-terminal."
        return ConsoleBoard(line, title, description, None, notes=(PSEUDO_NOTE,))
    description = "A board of which the console was seen."
    return ConsoleBoard(line, "a board on a serial line", description, parse_line(text)[1])
