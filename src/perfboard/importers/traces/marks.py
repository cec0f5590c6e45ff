# SPDX-License-Identifier: Apache-2.0
"""From the events of a trace to marks and spans of a boot."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from perfboard.analysis.boot.reading.kernel_log import instant_of
from perfboard.analysis.boot.reading.records import RECORD
from perfboard.analysis.formats.trace import FUNCTION, TraceEvent, trace_events
from perfboard.analysis.timeline.boots import KNOWN_MARKS
from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark, Span
from perfboard.model.text import printable
from perfboard.model.units import format_value

_SOURCE = "trace"
_MOST_MARKS, _MOST_SPANS = 10_000, 5000
_LEAST_SHARE = 0.5
_DISORDER_NS = 1_000_000_000
# A trace that begins later, without a mark of a boot, is of something else.
_RUNNING_NS = 120_000_000_000
_NAMED = 5
# The first call of each is a mark of the boot study.
_FUNCTIONS = {
    "start_kernel": "kernel.start_kernel",
    "sched_init": "kernel.sched_init",
    "rest_init": "kernel.rest_init",
    "prepare_namespace": "kernel.prepare_namespace",
    "run_init_process": "init.exec",
}
# Events of a text that user space writes to trace_marker.
_WRITTEN = ("tracing_mark_write", "print", "bprint", "bputs")
_MARKER = re.compile(
    r"(?:[\w.+/-]{1,80}: ?)?(?:tracing_mark_write: ?)?(?:perfboard: ?)?"
    r"([a-z][A-Za-z0-9._:+-]{0,79})\s*"
)
_PREFIXED = re.compile(r"\bperfboard: ?[a-z]")
_EXEC = re.compile(r"filename=(\S{1,300})")
_GPIO = re.compile(r"(\d{1,6}) (?:get|set) [01]")
_INITCALL = re.compile(r"func=([\w.$]{1,200})\S*(?: ret=(-?\d{1,10}))?")


def trace_in(file: SavedFile, lines: Iterable[bytes], options: ImportOptions) -> FileContent:
    """The boot that a trace shows a part of, from its first event on.

    Raises UsageError for a text without events, without a mark, or whose times go back.
    """
    gpios = {
        name.rpartition(":")[2].removeprefix("gpio"): list(marks)
        for name, marks in options.channel.items()
        if name.rpartition(":")[0] in ("", file.path.name)
        and re.fullmatch(r"gpio\d{1,6}", name.rpartition(":")[2])
    }
    marks: dict[str, Mark] = {}
    spans: list[Span] = []
    begun: dict[tuple[int, str], int] = {}
    zero_ns = last_ns = None
    for event in trace_events(lines):
        if zero_ns is None or last_ns is None:
            zero_ns = last_ns = event.t_ns
        # Events of two processors may be printed a little out of order.
        if event.t_ns < last_ns - _DISORDER_NS:
            raise UsageError(
                f"{file.path}: its times go back at {event.t_ns / 1e9:.6f}; give the trace of one "
                "boot, from a buffer that did not overflow"
            )
        zero_ns, last_ns = min(zero_ns, event.t_ns), max(last_ns, event.t_ns)
        for name in _names(event, gpios):
            if name not in marks and len(marks) < _MOST_MARKS:
                marks[name] = Mark(
                    name=name,
                    t_ns=event.t_ns,
                    clock="kernel",
                    source=_SOURCE,
                    precision_ns=event.precision_ns,
                )
        if len(spans) < _MOST_SPANS and (span := _initcall(event, begun)):
            spans.append(span)
    if zero_ns is None:
        raise UsageError(f"{file.path}: has no event of a trace")
    if not marks and not spans and zero_ns > _RUNNING_NS:
        raise UsageError(f"{file.path}: {_of_running(zero_ns, [])}")
    if not marks and not spans:
        raise UsageError(
            f"{file.path}: shows no boot: none of its events is a mark; trace "
            "sched:sched_process_exec, initcall or the function sched_init, or write a mark's name "
            "to trace_marker"
        )
    running = zero_ns > _RUNNING_NS and all(name.startswith("exec:") for name in marks)
    alone = _of_running(zero_ns, [*marks.values()]) if running else ""
    found = tuple(
        mark.model_copy(update={"t_ns": mark.t_ns - zero_ns})
        for mark in sorted(marks.values(), key=lambda mark: mark.t_ns)
    )
    calls = tuple(
        span.model_copy(update={"start_ns": (span.start_ns or 0) - zero_ns}) for span in spans
    )
    notes = [] if any(m.name in KNOWN_MARKS or m.name.startswith("exec:") for m in found) else [
        "The trace has no mark that another source may have; its spans stand apart."
    ]  # fmt: skip
    boot = Boot(marks=found, spans=calls)
    return FileContent(boots=(boot,), joins=True, notes=tuple(notes), alone=alone)


def _of_running(zero_ns: int, marks: list[Mark]) -> str:
    """A sentence on a trace that begins so late on the kernel's clock."""
    words = (
        f"it is a trace of a running system: its first event is {zero_ns / 1e9:,.3f} s after the "
        "kernel's clock began. It shows no boot"
    )
    if marks:
        marks.sort(key=lambda mark: mark.t_ns)
        names = [mark.name.removeprefix("exec:") for mark in marks]
        took = format_value((marks[-1].t_ns - marks[0].t_ns) / 1e9, "s")
        words += f", but programs that start: {', '.join(names[:_NAMED])}, within {took}"
    return f"{words}. Trace from the kernel's command line on (trace_event=)"


def _names(event: TraceEvent, gpios: dict[str, list[str]]) -> Iterator[str]:
    """The marks that an event is."""
    if event.name == FUNCTION:
        if event.text in _FUNCTIONS:
            yield _FUNCTIONS[event.text]
    elif event.name == "sched_process_exec":
        if match := _EXEC.search(event.text):
            program = printable(PurePosixPath(match[1]).name)
            yield f"exec:{program}"
    elif event.name in _WRITTEN:
        match = _MARKER.fullmatch(event.text)
        if match and (match[1] in KNOWN_MARKS or _PREFIXED.search(event.text)):
            yield match[1]
    elif event.name == "console":
        # The event of printk's, with the record as its text.
        record = RECORD.search(event.text)
        instant = instant_of(event.text[record.end() :] if record else event.text)
        if instant is not None:
            yield instant
    elif event.name == "gpio_value" and (match := _GPIO.match(event.text)):
        waiting = gpios.get(match[1])
        if waiting and (name := waiting.pop(0)):
            yield name


def _initcall(event: TraceEvent, begun: dict[tuple[int, str], int]) -> Span | None:
    """The initcall that an event ends, with its beginning."""
    if event.name not in ("initcall_start", "initcall_finish"):
        return None
    match = _INITCALL.search(event.text)
    if match is None:
        return None
    key = event.pid, match[1]
    if event.name == "initcall_start":
        begun[key] = event.t_ns
        return None
    start_ns = begun.pop(key, None)
    if start_ns is None or event.t_ns < start_ns:
        return None
    return Span(
        kind="initcall",
        name=match[1],
        start_ns=start_ns,
        duration_ns=event.t_ns - start_ns,
        returned=int(match[2] or 0),
    )


def event_share(head: bytes, own: re.Pattern[bytes]) -> float:
    """1 for a text of events, half of whose lines have that form, else 0."""
    lines = [line for line in head.splitlines()[:300] if line.strip() and line[:1] != b"#"]
    fit = sum(1 for line in lines if own.search(line, 0, 400)) if lines else 0
    return 1.0 if lines and fit >= _LEAST_SHARE * len(lines) else 0.0
