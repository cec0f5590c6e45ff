# SPDX-License-Identifier: Apache-2.0
"""From what the instruments stored of one boot to its record."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain

from perfboard.analysis.boot.console import (
    ConsoleLine,
    Stamps,
    console_marks,
    find_line,
    split_lines,
)
from perfboard.analysis.boot.initcalls import parse_initcalls
from perfboard.analysis.boot.kernel_log import clock_offset, kernel_marks, parse_console
from perfboard.analysis.boot.phases import PHASES
from perfboard.analysis.boot.scope_log import parse_scope, process_times, scope_marks
from perfboard.model.results.boot import Boot, Mark


def boot_record(
    scope: str,
    console: bytes,
    usable: str,
    instruction_ns: int,
    host_seconds: float | None,
    others: Sequence[Mark] = (),
) -> Boot:
    """The record of a boot of a virtual board, up to its mark `usable`.

    `scope` is the text of scope.jsonl and `console` the bytes of console.log;
    `usable` is the board's `boot.usable`; `instruction_ns` the time of one
    instruction, to which a scope's mark is exact; `others` are marks of other instruments on the
    board's clock. If several sources have a mark of one name, the scope's counts, then those
    of `others`, the console's, and last the kernel's.
    """
    log = parse_scope(scope.splitlines())
    lines = split_lines(console, log.stamps)
    seen = scope_marks(log, instruction_ns)
    kind, _, what = usable.partition(":")
    if kind == "exec":
        end = next((mark for mark in seen if mark.name == f"exec:{what}"), None)
    else:
        end = find_line(lines, what, "usable")
    record, last_ns = _record(lines, log.stamps, (*seen, *others), end)
    return record.model_copy(
        update={
            "processes": process_times(log, last_ns),
            "counters": next((r.counters for r in reversed(log.records) if r.ns <= last_ns), {}),
            "host_seconds": host_seconds,
        }
    )


def console_record(console: bytes, stamps: Stamps, usable: str, seen: Sequence[Mark]) -> Boot:
    """The record of a boot whose console this machine saw, up to its mark `usable`.

    `stamps` are on this machine's clock, from the reset on; `usable` is a regular expression;
    `seen` are the mark `reset`, and marks of other instruments on the same clock. Bytes that were
    read at once have one stamp, and came at any time since those before.
    """
    lines = split_lines(console, stamps)
    record, _ = _record(lines, stamps, seen, find_line(lines, usable, "usable"))
    read_at = sorted({0, *stamps.ns})

    def as_read(mark: Mark) -> Mark:
        precision_ns = mark.precision_ns
        if mark not in seen and mark.source == "console":
            since = read_at[max(0, bisect_left(read_at, mark.t_ns) - 1)]
            precision_ns = max(precision_ns, mark.t_ns - since)
        return mark.model_copy(update={"clock": "host", "precision_ns": precision_ns})

    return record.model_copy(update={"marks": tuple(map(as_read, record.marks))})


def _record(
    lines: Sequence[ConsoleLine], stamps: Stamps, seen: Sequence[Mark], end: Mark | None
) -> tuple[Boot, int]:
    """Marks and initcalls up to `end`, or without one to the last of `seen`; and when that is."""
    if end is not None:
        seen = (*seen, end.model_copy(update={"name": "usable"}))
    kernel = parse_console(lines)
    offset = clock_offset(kernel)
    marks: dict[str, list[Mark]] = {}
    logged = kernel_marks(kernel, offset) if offset is not None else []
    for source in (seen, console_marks(lines), logged):
        for mark in source:
            same = marks.setdefault(mark.name, [])
            if not same or same[0].source == mark.source:
                same.append(mark)
    last_ns = end.t_ns if end is not None else max((m.t_ns for m in seen), default=0)
    kept = [mark for mark in chain(*marks.values()) if mark.t_ns <= last_ns]
    order = {name: i for i, phase in enumerate(PHASES) for name in (phase.start, phase.end)}
    kept.sort(key=lambda mark: (mark.t_ns, order.get(mark.name, len(order))))
    initcalls = parse_initcalls(kernel, offset.ns if offset else 0)
    record = Boot(
        marks=tuple(kept),
        spans=tuple(s for s in initcalls.spans if s.start_ns is None or s.start_ns <= last_ns),
        untimed=initcalls.untimed,
    )
    began, left = record.mark("kernel.sched_init"), record.mark("init.exec")
    if began is not None and left is not None:
        printed = bisect_left(stamps.ns, left.t_ns) - bisect_left(stamps.ns, began.t_ns)
        record = record.model_copy(update={"kernel_bytes": printed})
    return record, last_ns
