# SPDX-License-Identifier: Apache-2.0
"""The recordings of a virtual board's boot, cut where the boot ends.

The board runs on until this machine has seen that it is usable, and has ended the emulator: how
long that is differs from boot to boot.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from perfboard.analysis.boot.reading.console import Stamps, read_rows
from perfboard.analysis.boot.reading.scope_log import ScopeLog, parse_scope, whole_records
from perfboard.analysis.boot.reading.screen import ScreenLine, matches


def until_usable(scope: str, console: bytes, usable: str) -> tuple[str, bytes]:
    """The text of scope.jsonl and the bytes of console.log up to the mark `usable`.

    `usable` is the board's `boot.usable`. Recordings without the mark stay whole.
    """
    lines = scope.splitlines(keepends=True)
    log = parse_scope(lines)
    kind, _, what = usable.partition(":")
    end = _started(log, what) if kind == "exec" else _printed(re.compile(what), console, log.stamps)
    if end is None:
        return scope, console
    count = bisect_right(log.stamps.instructions or (), end[1])
    return "".join(_kept(lines, end, count)), console[:count]


def _started(log: ScopeLog, program: str) -> tuple[int, int] | None:
    """The ns and the instructions at the start of the program."""
    for record in log.records:
        if record.name == "exec" and record.text.rpartition("/")[2] == program:
            return record.ns, record.instructions
    return None


def _printed(pattern: re.Pattern[str], console: bytes, stamps: Stamps) -> tuple[int, int] | None:
    """The ns and the instructions at the byte that completes the text."""

    def shown(row: ScreenLine) -> bool:
        return any(matches(pattern, reading.text) for reading in row.readings())

    def complete(size: int) -> bool:
        return any(map(shown, read_rows([console[:size]], stamps)))

    for row in read_rows([console], stamps):
        if shown(row):
            sizes = range(row.start + 1, row.end)
            last = sizes.start + bisect_left(sizes, x=True, key=complete) - 1
            return stamps.at(last), stamps.count(last) or 0
    return None


def _kept(lines: Iterable[str], end: tuple[int, int], count: int) -> Iterator[str]:
    """The lines up to that end, and the stamps of `count` bytes."""
    end_ns, end_instructions = end
    for line, record in whole_records(lines):
        if "console" in record:
            stamps, count = record["console"][: 2 * count], count - len(record["console"]) // 2
            count = max(0, count)
            if len(stamps) == len(record["console"]):
                yield line
            elif stamps:
                yield json.dumps({"console": stamps}, separators=(",", ":")) + "\n"
        elif "mark" in record or "seen" in record:
            if record["instructions"] <= end_instructions:
                yield line
        elif "beat" in record and record["beat"] <= end_ns:
            yield line
