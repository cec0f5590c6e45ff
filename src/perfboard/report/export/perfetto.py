# SPDX-License-Identifier: Apache-2.0
"""A run as a trace in the Trace Event Format, which the Perfetto UI opens.

Each boot is a process, each kind of row a thread of it: complete events (X) are
phases, steps and spans; instant events (i) are marks; metadata events (M) name
processes and threads. Times are microseconds. Each source of a joined timeline is a process too,
with its marks where they lie on the reference's clock; `otherData.clocks` is the manifest of how.
"""

import itertools
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from perfboard.analysis.boot.phase_time import PhaseTime
from perfboard.analysis.boot.phases import cut_boot
from perfboard.analysis.timeline.boots import on_reference, zero_of
from perfboard.model.results.boot import Boot, BootResult, Span
from perfboard.model.results.timeline import TimelineClock, TimelineResult
from perfboard.model.run import Run

_Event = dict[str, Any]


def trace(run: Run) -> str:
    """The trace as JSON. Spans that have no start are absent: they have no place in it."""
    boots = [boot for result in run.results_of(BootResult) for boot in result.boots]
    # Thread ids are unique over all processes, since Perfetto names threads by them alone.
    timelines = run.results_of(TimelineResult)
    sources = len([*_sources(timelines)])
    threads = itertools.count(len(boots) + sources + 1)
    events: list[_Event] = []
    for pid, boot in enumerate(boots, start=1):
        name = f"boot {pid}: {run.board.name}, {run.evidence}"
        events.append(_metadata("process_name", pid, pid, {"name": name}))
        events.append(_metadata("process_sort_index", pid, pid, {"sort_index": pid}))
        for place, (title, rows) in enumerate(_threads(boot)):
            tid = next(threads)
            events.append(_metadata("thread_name", pid, tid, {"name": title}))
            events.append(_metadata("thread_sort_index", pid, tid, {"sort_index": place}))
            events += [{**row, "pid": pid, "tid": tid} for row in rows]
    for pid, (timeline, clock) in enumerate(_sources(timelines), start=len(boots) + 1):
        events.append(_metadata("process_name", pid, pid, {"name": f"source: {clock.name}"}))
        tid = next(threads)
        events.append(_metadata("thread_name", pid, tid, {"name": "marks as it saw them"}))
        events += [{**row, "pid": pid, "tid": tid} for row in _seen(timeline, clock)]
    other: _Event = {
        "run": run.id,
        "study": run.study,
        "board": run.board.name,
        "evidence": run.evidence,
    }
    if timelines:
        other["clocks"] = [_relation(*source) for source in _sources(timelines)]
    return json.dumps(
        {"traceEvents": events, "displayTimeUnit": "ns", "otherData": other},
        separators=(",", ":"),
        allow_nan=False,
    )


def _sources(timelines: Iterable[TimelineResult]) -> Iterator[tuple[TimelineResult, TimelineClock]]:
    for timeline in timelines:
        for clock in timeline.clocks:
            yield timeline, clock


def _seen(timeline: TimelineResult, clock: TimelineClock) -> Iterator[_Event]:
    """The marks of a source; of one that nothing joins, on its own clock from its first."""
    first_ns = min((mark.t_ns for mark in clock.marks), default=0)
    for mark in clock.marks:
        if clock.fit is None:
            t_ns = mark.t_ns - first_ns
        else:
            t_ns = on_reference(clock.fit, mark.t_ns) - zero_of(timeline)
        yield {
            "name": mark.name,
            "cat": "source",
            "ph": "i",
            "s": "t",
            "ts": _microseconds(t_ns),
            "args": {"own_ns": mark.t_ns, "precision_ns": mark.precision_ns},
        }


def _relation(timeline: TimelineResult, clock: TimelineClock) -> _Event:
    """How a clock relates to the trace's: its time `pivot_ns` is `at_ns`, and it gains `drift_ppm`.

    Errors are those of 95% intervals. The trace's clock is that of `reference`, from the reset or
    the first mark on. `joined` is false for a clock that stands apart.
    """
    found: _Event = {
        "name": clock.name,
        "reference": timeline.reference,
        "joined": clock.fit is not None,
        "marks": len(clock.marks),
        "common": list(clock.common),
    }
    if clock.fit is not None:
        found |= clock.fit.model_dump()
        found["at_ns"] = clock.fit.at_ns - zero_of(timeline)
    return found


def _threads(boot: Boot) -> Iterator[tuple[str, list[_Event]]]:
    """The threads of a boot with rows in them: title and events."""
    rows = cut_boot(boot)
    yield "phases", [_phase(row) for row in rows if row.depth == 0]
    steps = [_phase(row) for row in rows if row.depth > 0]
    if steps:
        yield "steps", steps
    for clock in ("virtual", "host", "kernel", "capture"):
        marks = [mark for mark in boot.marks if mark.clock == clock]
        if marks:
            yield (
                f"marks ({clock} clock)",
                [
                    {
                        "name": mark.name,
                        "cat": "mark",
                        "ph": "i",
                        "s": "t",
                        "ts": _microseconds(mark.t_ns),
                        "args": mark.model_dump(exclude={"name"}, exclude_none=True),
                    }
                    for mark in marks
                ],
            )
    for kind, title in (
        ("initcall", "initcalls"),
        ("probe", "driver probes"),
        ("service", "services"),
    ):
        lanes = _lanes(span for span in boot.spans if span.kind == kind)
        for number, lane in enumerate(lanes, start=1):
            yield title if len(lanes) == 1 else f"{title} {number}", lane
    if boot.processes and boot.marks:
        # Sums over the boot have no place on its clock: they go with its last instant.
        end = max(mark.t_ns for mark in boot.marks)
        ranked = sorted(boot.processes, key=lambda process: -process.time_ns)
        event = {
            "name": "processor time by process",
            "cat": "processes",
            "ph": "i",
            "s": "t",
            "ts": _microseconds(end),
            "args": {"processes": [process.model_dump() for process in ranked]},
        }
        yield "processes", [event]


def _metadata(name: str, pid: int, tid: int, args: dict[str, Any]) -> _Event:
    return {"name": name, "ph": "M", "pid": pid, "tid": tid, "args": args}


def _phase(row: PhaseTime) -> _Event:
    args: dict[str, Any] = {
        "metric": row.name,
        "number": row.number,
        "from": row.start.name,
        "to": row.end.name,
        "precision_ns": row.precision_ns,
    }
    if row.instructions is not None:
        args["instructions"] = row.instructions
    return _complete(row.title, "phase", row.start.t_ns, row.duration_ns, args)


def _lanes(spans: Iterable[Span]) -> list[list[_Event]]:
    """The spans spread over as few lanes as needed, so that in each they nest or follow.

    Events that overlap otherwise cannot be drawn on one thread; deferred driver probes do.
    """
    placed = [(span.start_ns, span) for span in spans if span.start_ns is not None]
    placed.sort(key=lambda item: (item[0], -item[1].duration_ns))
    lanes: list[list[_Event]] = []
    open_ends: list[list[int]] = []
    for start, span in placed:
        end = start + span.duration_ns
        event = _complete(
            span.name, span.kind, start, span.duration_ns, {"returned": span.returned}
        )
        for lane, ends in zip(lanes, open_ends, strict=True):
            while ends and ends[-1] <= start:
                ends.pop()
            if not ends or end <= ends[-1]:
                lane.append(event)
                ends.append(end)
                break
        else:
            lanes.append([event])
            open_ends.append([end])
    return lanes


def _complete(name: str, category: str, start: int, duration: int, args: _Event) -> _Event:
    return {
        "name": name,
        "cat": category,
        "ph": "X",
        "ts": _microseconds(start),
        "dur": _microseconds(duration),
        "args": args,
    }


def _microseconds(nanoseconds: int) -> float:
    """Microseconds from which Perfetto gets the same nanoseconds back.

    It multiplies by 1000 and drops the fraction, which loses one where the
    product falls just short; the next number does not.
    """
    value = nanoseconds / 1000
    if int(value * 1000.0) < nanoseconds:
        return math.nextafter(value, math.inf)
    return value
