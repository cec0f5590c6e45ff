# SPDX-License-Identifier: Apache-2.0
"""Console bytes and their stamps made into lines, and a text on them into a mark."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from perfboard.analysis.boot.reading.records import RECORD
from perfboard.analysis.boot.reading.screen import (
    Reading,
    ScreenLine,
    TerminalScreen,
    find,
    readable,
)
from perfboard.model.results.boot import Mark

# A program that prints a line at once does not pause within it for this long.
_PAUSE_NS = 200_000_000


@dataclass(frozen=True)
class Stamps:
    """When console bytes came, in their order.

    `ns` (type code "q") counts nanoseconds since reset: of each byte, or, where `ends` is given,
    of each portion; `ends` are then how many bytes had come with it. `instructions`, of the same
    length, are those executed since reset, or None where nobody counted. Each stamp may be up to
    `resolution_ns` later than its byte. A byte takes `byte_ns` at most, if whole lines have one
    stamp; 0: not known. `lent` are stamps of bytes that have none of their own, and
    the instants between which these came; None: no stamp bounds them.
    """

    ns: "array[int]"  # array cannot be subscripted when run on Python 3.11
    instructions: "array[int] | None" = None
    ends: Sequence[int] | None = None
    resolution_ns: int = 0
    byte_ns: int = 0
    lent: Mapping[int, tuple[int, int | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError where the arrays differ in length."""
        for what, other in (("counts", self.instructions), ("ends", self.ends)):
            if other is not None and len(other) != len(self.ns):
                raise ValueError(f"{len(self.ns)} times but {len(other)} {what}")

    def __len__(self) -> int:
        """How many bytes have a stamp."""
        if self.ends is None:
            return len(self.ns)
        return self.ends[-1] if self.ends else 0

    def place(self, offset: int) -> int:
        """The place in `ns` of the byte at that offset."""
        return offset if self.ends is None else bisect_right(self.ends, offset)

    def at(self, offset: int) -> int:
        """When the byte at that offset came; 0 for -1, what was before the first."""
        return self.ns[self.place(offset)] if offset >= 0 else 0

    def before(self, t_ns: int) -> int:
        """How many bytes came before that time."""
        place = bisect_left(self.ns, t_ns)
        if self.ends is None:
            return place
        return self.ends[place - 1] if place else 0

    def count(self, offset: int) -> int | None:
        """The instructions that had been executed when the byte at that offset came."""
        return None if self.instructions is None else self.instructions[self.place(offset)]

    def pauses(self, start: int, stop: int) -> Iterator[int]:
        """The offsets after `start`, before `stop`, of bytes that came after a pause."""
        for place in range(self.place(start) + 1, self.place(stop - 1) + 1):
            if self.ns[place] - self.ns[place - 1] > _PAUSE_NS:
                yield place if self.ends is None else self.ends[place - 1]


class ConsoleLine(NamedTuple):
    """One line of the console.

    `text` has no line end, escape sequence or control character other than
    tab; what is not UTF-8 is replaced. `start_ns` is the stamp of the line's
    first byte, `text_end_ns` of the last before the line end, and `end_ns` of
    the last with it. `instructions` and `end_instructions` go with `start_ns`
    and `end_ns`. A blank line's first byte is its line end's.
    """

    text: str
    start_ns: int
    text_end_ns: int
    end_ns: int
    instructions: int | None = None
    end_instructions: int | None = None


def read_rows(portions: Iterable[bytes], stamps: Stamps) -> Iterator[ScreenLine]:
    """The rows of a console log, the last of which may have no end.

    Bytes beyond the last stamp are left out, as though the recording had ended there, because a
    time made up for them would be wrong; stamps beyond the last byte are not used.
    """
    screen, left = TerminalScreen(), len(stamps)
    for portion in portions:
        yield from screen.add(portion[:left])
        left -= min(left, len(portion))
    if screen.pending is not None:
        yield screen.pending


def line_of(row: ScreenLine, stamps: Stamps) -> ConsoleLine:
    """A row with its stamps."""
    start, last = stamps.place(row.start), stamps.place(row.end - 1)
    text_end = stamps.place(row.start + len(row.raw) - 1) if row.raw else start
    ns, counts = stamps.ns, stamps.instructions
    if counts is None:
        return ConsoleLine(row.text, ns[start], ns[text_end], ns[last])
    return ConsoleLine(row.text, ns[start], ns[text_end], ns[last], counts[start], counts[last])


def split_lines(data: bytes, stamps: Stamps) -> list[ConsoleLine]:
    """The stamped lines of a console log, blank ones too; which bytes count `read_rows` says."""
    return [line_of(row, stamps) for row in read_rows([data], stamps)]


def mark_at(offset: int, stamps: Stamps, name: str) -> Mark:
    """A mark at a console byte. Its precision is the time since the byte before it.

    If the byte has no stamp of its own, the mark is bounded by others'.
    """
    t_ns = stamps.at(offset)
    mark = Mark(
        name=name,
        t_ns=t_ns,
        source="console",
        precision_ns=t_ns - stamps.at(offset - 1),
        instructions=stamps.count(offset),
    )
    return with_bounds(mark, *stamps.lent[t_ns]) if t_ns in stamps.lent else mark


def with_bounds(mark: Mark, from_ns: int, to_ns: int | None) -> Mark:
    """The mark, of which it is only known between which instants it was; None: no bound."""
    middle_ns = from_ns if to_ns is None else (from_ns + to_ns) // 2
    return mark.model_copy(
        update={
            "t_ns": middle_ns,
            "precision_ns": middle_ns - from_ns,
            "from_ns": from_ns,
            "to_ns": to_ns,
        }
    )


class ConsoleEvent(NamedTuple):
    """A mark where a text was found; `record_ns` is the kernel's time if a record has the text."""

    mark: Mark
    record_ns: int | None


def sight(
    pattern: re.Pattern[str], row: ScreenLine, stamps: Stamps, name: str
) -> ConsoleEvent | None:
    """The mark `name` where `pattern` is found in a row, or None.

    It is at the first byte of the line, or the first after a pause in the line. The precision is
    the time since the byte before it: where programs wait for their output, what the line tells of
    happened between the two. Buffered output may tell of something earlier still. A pattern that
    backtracks exponentially stays slow: it must come from whoever may also choose what is run.
    """
    for reading in row.readings():
        place = find(pattern, reading.text)
        if place is not None:
            record = RECORD.match(reading.pieces[0][0])
            return ConsoleEvent(
                mark_at(_first_byte(reading, place, stamps), stamps, name),
                int(record[1] + record[2]) * 1000 if record else None,
            )
    return None


def _first_byte(reading: Reading, place: int, stamps: Stamps) -> int:
    """The byte from which on the text at that place was printed without a pause."""
    begin, before, last = reading.pieces[0][1], "", None
    for raw, offset in reading.pieces:
        # The time of the records between two pieces is no pause of their program, if it is short.
        if last is not None and raw and stamps.at(offset) - stamps.at(last) > _PAUSE_NS:
            if len(readable(before)) > place:
                break
            begin = offset
        for pause in stamps.pauses(offset, offset + len(raw)) if raw else ():
            if len(readable(before + raw[: pause - offset])) > place:
                return begin
            begin = pause
        before += raw
        last = offset + len(raw) - 1 if raw else last
    return begin
