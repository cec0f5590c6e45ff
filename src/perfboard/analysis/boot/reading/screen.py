# SPDX-License-Identifier: Apache-2.0
"""Console bytes as a person reads them: no escapes or control characters, each line whole."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from perfboard.analysis.boot.reading.records import RECORD, without_level

LONGEST_LINE = 1 << 16
"""A line that does not end is cut there, so that no board makes its reader grow without bound."""

# A line ends at a line feed, with the carriage returns before it, or at carriage returns alone.
_LINE = re.compile(r"([^\r\n]*+)(?:\r*+\n|\r++)")
# A final "[" is left out: a cut-off sequence must not take the "[" of a kernel record after it.
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-Z\\-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])"
)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
# A line that records cut is put together of this many pieces at most.
_MOST_PIECES = 16
# How much of each end of a line a pattern sees: a bound for one that backtracks.
_LONGEST_MATCHED = 4096


def readable(raw: str) -> str:
    """A line as a person reads it, of its bytes as Latin-1 without the line end.

    UTF-8 is decoded, and what is none replaced. Escape sequences and control characters other
    than tab are taken out; a backspace has the next character in place of the one before.
    """
    text = raw if raw.isascii() else raw.encode("latin-1").decode("utf-8", "replace")
    if text.isprintable():
        return text
    text = _ESCAPE.sub("", text)
    if "\b" in text:
        text = _overtyped(text)
    return _CONTROL.sub("", text)


def _overtyped(text: str) -> str:
    shown: list[str] = []
    at = 0
    for character in text:
        if character == "\b":
            at = max(0, at - 1)
        elif not _CONTROL.match(character):
            shown[at : at + 1] = [character]
            at += 1
    return "".join(shown)


def find(pattern: re.Pattern[str], text: str) -> int | None:
    """The place of `pattern` in a line, of which it sees 4096 characters from each end."""
    match = pattern.search(text, 0, _LONGEST_MATCHED)
    if match is None and len(text) > _LONGEST_MATCHED:
        match = pattern.search(text, max(1, len(text) - _LONGEST_MATCHED))
    return None if match is None else match.start()


def matches(pattern: re.Pattern[str], text: str) -> bool:
    """Whether `pattern` is found in a line, as `find` searches it."""
    return find(pattern, text) is not None


Pieces = tuple[tuple[str, int], ...]
"""Bytes as Latin-1, piece by piece, each with its place among the console's bytes."""


class Reading(NamedTuple):
    """A text to match, and the bytes that it was read of."""

    text: str
    pieces: Pieces


class ScreenLine(NamedTuple):
    """One line of the console: `raw` are its bytes as Latin-1, without the line end.

    `text` is how a person reads it, with the kernel records printed into it, which begin at the
    places `records` of `raw`. The bytes lie from `start` of the console on; `end` is after the
    line end. `cut` is what a program had printed of a line before records were printed into it, if
    this row goes on with that.
    """

    raw: str
    text: str
    start: int
    end: int
    records: tuple[int, ...] = ()
    cut: Pieces = ()

    def readings(self) -> Iterator[Reading]:
        """The texts that a person may read here: each record, each program's, and the whole row."""
        whole = Reading(self.text, ((self.raw, self.start),))
        if not self.cut and self.records in ((), (0,)):
            yield whole
            return
        before = self.before
        if before or not self.records:
            yield Reading(readable(before), ((before, self.start),))
        for start, stop in pairwise((*self.records, len(self.raw))):
            piece = self.raw[start:stop]
            yield Reading(readable(piece), ((piece, self.start + start),))
        if self.cut:
            pieces = (*self.cut, (before, self.start))
            yield Reading(readable("".join(raw for raw, _ in pieces)), pieces)
        if self.records:
            yield whole

    @property
    def before(self) -> str:
        """The bytes before the first record, as Latin-1; all of them without one."""
        return without_level(self.raw[: self.records[0]]) if self.records else self.raw


def _records_in(raw: str) -> tuple[int, ...]:
    if "[" not in raw:
        return ()
    return tuple(match.start() for match in RECORD.finditer(raw))


class TerminalScreen:
    """Rows of console bytes as they come, in portions of any size."""

    def __init__(self) -> None:
        self._pending = ""
        self._start = 0
        self._cut: Pieces = ()

    def add(self, data: bytes) -> list[ScreenLine]:
        """The rows that end with these bytes.

        A carriage return ends a row once the byte after it is known, since a line feed may be.
        """
        text = self._pending + data.decode("latin-1")
        rows: list[ScreenLine] = []
        at = 0
        # After the last line end, each place would be tried as the start of a line.
        ended = max(text.rfind("\n"), text.rfind("\r")) + 1
        for match in _LINE.finditer(text, 0, ended):
            if match.end() == len(text) and text[-1] == "\r":
                break
            at = match.end()
            rows.append(self._row(match[1], match.start(), at))
        while len(text) - at > LONGEST_LINE:
            rows.append(self._row(text[at : at + LONGEST_LINE], at, at + LONGEST_LINE))
            at += LONGEST_LINE
        self._pending = text[at:]
        self._start += at
        return rows

    def _row(self, raw: str, start: int, end: int) -> ScreenLine:
        """The row at these places after the first pending byte; keeps what a record cut."""
        row = self._row_at(raw, self._start + start, self._start + end)
        if not row.records:
            self._cut = ()
        elif before := row.before:
            if len(before) <= _LONGEST_MATCHED:
                self._cut = (*self._cut[-_MOST_PIECES + 1 :], (before, row.start))
        elif row.cut:
            row = row._replace(cut=())
        return row

    def _row_at(self, raw: str, start: int, end: int) -> ScreenLine:
        return ScreenLine(raw, readable(raw), start, end, _records_in(raw), self._cut)

    @property
    def pending(self) -> ScreenLine | None:
        """The row that has not ended yet; None where the last byte ended one."""
        if not self._pending:
            return None
        raw = self._pending.rstrip("\r")
        return self._row_at(raw, self._start, self._start + len(self._pending))
