# SPDX-License-Identifier: Apache-2.0
"""From what the instruments stored of one boot to its record."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal

from perfboard.analysis.boot.clocks import LATE_NS
from perfboard.analysis.boot.phases import BOUNDS, PHASES, firmware_end
from perfboard.analysis.boot.reading.console import Stamps, mark_at, with_bounds
from perfboard.analysis.boot.reading.initcalls import parse_initcalls
from perfboard.analysis.boot.reading.reader import ConsoleRecording, read_recording
from perfboard.analysis.boot.reading.scope_log import (
    counted_at,
    parse_scope,
    scope_marks,
)
from perfboard.analysis.boot.reading.services import REACHED, STEP, service_spans
from perfboard.analysis.boot.reading.turns import core_times, process_times, turns
from perfboard.analysis.boot.timeline import Timeline, timeline_of
from perfboard.model.results.boot import Boot, CoreTime, Mark

SILENCE_NS = 30_000_000_000
"""A line after so long a silence says nothing of the lines before it."""

# A log that does not begin with the reset may begin at any time after it.
_LONG_BEFORE_NS = -(2**61)


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
    seen = scope_marks(log, instruction_ns)
    kind, _, what = usable.partition(":")
    if kind == "exec":
        recording = read_recording([console], log.stamps, None)
        end = next((mark for mark in seen if mark.name == f"exec:{what}"), None)
    else:
        recording = read_recording([console], log.stamps, re.compile(what))
        end = recording.usable.mark if recording.usable else None
    record, last_ns = _record(recording, log.stamps, (*seen, *others), end)
    taken = tuple(turns(log, last_ns))
    if cores := core_times(log, taken, last_ns):
        notes = (*record.notes, *_unused(cores))
        record = record.model_copy(update={"cores": cores, "notes": notes})
    return record.model_copy(
        update={
            "processes": process_times(taken),
            "counters": next((r.counters for r in reversed(log.records) if r.ns <= last_ns), {}),
            "counted": counted_at(log, [mark for mark in record.marks if mark.name in BOUNDS]),
            "host_seconds": host_seconds,
        }
    )


def _unused(cores: Sequence[CoreTime]) -> Iterator[str]:
    if unused := [str(core.core) for core in cores if not core.instructions]:
        were = f"Core {unused[0]} was" if len(unused) == 1 else f"Cores {', '.join(unused)} were"
        yield f"{were} never started: a kernel starts others with CONFIG_SMP, up to `maxcpus`."


def console_record(
    portions: Iterable[bytes], stamps: Stamps, usable: re.Pattern[str], seen: Sequence[Mark]
) -> Boot:
    """The record of a boot whose console this machine saw, up to its mark `usable`.

    `portions` are the console's bytes until `usable` was found on it, cut anywhere; `stamps` are
    on this machine's clock, from the reset on; `seen` are the mark `reset`, and marks of other
    instruments on the same clock. Bytes that were read at once have one stamp, and came at any
    time since those before.
    """
    recording = read_recording(portions, stamps, usable)
    end = recording.usable.mark if recording.usable else None
    if end is None and recording.last is not None:
        end = mark_at(recording.last.start, stamps, "usable")
    record, _ = _record(recording, stamps, seen, end)
    return _as_read(record, stamps, seen, "host")


def saved_record(
    portions: Iterable[bytes],
    stamps: Stamps,
    usable: re.Pattern[str] | None,
    seen: Sequence[Mark],
    clock: Literal["host", "kernel"],
) -> Boot:
    """The record of a boot of which a log was kept, with or without its mark `usable`.

    `stamps` are on that `clock`; `seen` is the mark that the boot begins with, if any.
    """
    recording = read_recording(portions, stamps, usable)
    end = recording.usable.mark if recording.usable else None
    was_reset = clock == "kernel" or any(mark.name == PHASES[0].start for mark in seen)
    floor_ns = 0 if was_reset else _LONG_BEFORE_NS
    record, _ = _record(recording, stamps, seen, end, stamps.ns[-1] if stamps.ns else 0, floor_ns)
    if end is None:
        record = record.model_copy(update={"last_ns": _last_ns(stamps)})
    return _as_read(record, stamps, seen, clock)


def _last_ns(stamps: Stamps) -> int:
    """The last stamp that is surely of the boot: what comes after a long silence may not be."""
    last_ns = 0
    for ns in stamps.ns:
        if ns - last_ns > SILENCE_NS:
            break
        last_ns = ns if ns not in stamps.lent else last_ns
    return last_ns


def _as_read(
    record: Boot, stamps: Stamps, seen: Sequence[Mark], clock: Literal["host", "kernel"]
) -> Boot:
    """The record on that clock, where what was read at once has one stamp."""

    def as_read(mark: Mark) -> Mark:
        precision_ns = mark.precision_ns
        if mark in seen or mark.bounded:
            pass
        elif mark.t_ns in stamps.lent:
            mark = with_bounds(mark, *stamps.lent[mark.t_ns])
            precision_ns = mark.precision_ns
        elif mark.source == "console":
            before = bisect_left(stamps.ns, mark.t_ns) - 1
            since_ns = stamps.ns[before] if before >= 0 else 0
            precision_ns = max(precision_ns, mark.t_ns - since_ns) + stamps.resolution_ns
        return mark.model_copy(update={"clock": clock, "precision_ns": precision_ns})

    marks = sorted(map(as_read, record.marks), key=lambda mark: mark.t_ns)
    return record.model_copy(update={"marks": tuple(marks)})


def unfinished_calls(portions: Iterable[bytes], stamps: Stamps) -> tuple[str, ...]:
    """The initcalls that a console shows to have begun and not to have returned."""
    timeline = timeline_of(read_recording(portions, stamps, None), stamps.ns, None)
    return parse_initcalls(timeline.records).unfinished


def _record(
    recording: ConsoleRecording,
    stamps: Stamps,
    seen: Sequence[Mark],
    end: Mark | None,
    last_ns: int = 0,
    floor_ns: int = 0,
) -> tuple[Boot, int]:
    """Marks and initcalls up to `end`, and when that is; the reset was at `floor_ns`, or later.

    Without an end it is the last of `seen`, or `last_ns` if that is later.
    """
    timeline = timeline_of(recording, stamps.ns, end, floor_ns)
    if end is not None:
        end = _usable(recording, timeline, end)
        seen = (*seen, end)
    marks: dict[str, list[Mark]] = {}
    restart = (timeline.start.mark,) if timeline.start else ()
    for source in (seen, restart, timeline.marks):
        for mark in source:
            same = marks.setdefault(mark.name, [])
            if not same or same[0].source == mark.source:
                same.append(mark)
    last_ns = end.t_ns if end is not None else max((last_ns, *(m.t_ns for m in seen)))
    kept = [
        mark
        for mark in chain(*marks.values())
        if 0 <= mark.t_ns <= last_ns
        # The line that means ready ends the boot, and no step.
        and not (mark.t_ns == last_ns and mark.name.startswith((STEP, REACHED)))
    ]
    if end_of_firmware := firmware_end(kept):
        kept.append(end_of_firmware)
    names = [PHASES[0].start, *(phase.end for phase in PHASES)]
    order = {name: i for i, name in enumerate(names)}
    kept.sort(key=lambda mark: (mark.t_ns, order.get(mark.name, len(order))))
    zero_ns = timeline.zero.ns if timeline.zero else 0
    initcalls = parse_initcalls(timeline.records, zero_ns, longest_ns=max(last_ns, 0))
    record = Boot(
        marks=tuple(kept),
        spans=(
            *(s for s in initcalls.spans if s.start_ns is None or s.start_ns <= last_ns),
            *service_spans(timeline.services, last_ns),
        ),
        untimed=initcalls.untimed,
        unfinished=initcalls.unfinished,
        notes=(*timeline.notes, *initcalls.notes),
        printed={
            mark.name: stamps.before(mark.t_ns)
            for mark in kept
            if mark.name in BOUNDS and stamps.ns
        },
        unpacked_bytes=recording.waits.unpacked_bytes,
        console_baud=recording.waits.baud,
        waits=tuple(wait for wait in recording.waits.found if wait.start_ns <= last_ns),
    )
    began, left = record.mark("kernel.sched_init"), record.mark("init.exec")
    if began is not None and left is not None:
        printed = stamps.before(left.t_ns) - stamps.before(began.t_ns)
        record = record.model_copy(update={"kernel_bytes": printed})
    return record, last_ns


def _usable(recording: ConsoleRecording, timeline: Timeline, end: Mark) -> Mark:
    """The mark `usable`, by the record's own time if it is of a record that was printed late."""
    sighted, zero = recording.usable, timeline.zero
    record_ns = sighted.record_ns if sighted else None
    if record_ns is None or zero is None or record_ns + zero.ns + LATE_NS > end.t_ns:
        return end.model_copy(update={"name": "usable"})
    return Mark(
        name="usable",
        t_ns=max(0, record_ns + zero.ns),
        source="kernel-log",
        precision_ns=zero.precision_ns,
    )
