# SPDX-License-Identifier: Apache-2.0
"""Initcalls and driver probes, as the kernel logs them with `initcall_debug`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from perfboard.analysis.boot.kernel_log import KernelLine
from perfboard.model.results.boot import Span

# A symbol without its offset, a plain address, or an async call's number and symbol;
# and the module's name in brackets.
_SYMBOL = r"([^\s+]+)(?:\+\S*)?( \[[^\[\]]+\])?"
_STATE = r"(?:with (?:preemption imbalance |disabled interrupts )+)?"
_CALLING = re.compile(rf"calling {{1,2}}{_SYMBOL} @ [0-9]")
_RETURNED = re.compile(
    rf"(?:initcall {_SYMBOL}|probe of (.+)) returned "
    rf"(?:(-?[0-9]{{1,10}}) )?{_STATE}after ([0-9]{{1,15}}) ([mu])secs"
)
# Until then the kernel times initcalls with the timer tick.
_SWITCHED = re.compile(r"(?:clocksource: )?Switch(?:ed|ing) to clocksource ")
_UNIT_NS = {"u": 1_000, "m": 1_000_000}


@dataclass(frozen=True)
class InitcallLog:
    """The spans in the order they ended, and the names of what has none.

    `unfinished` are initcalls that never returned, in the order of their calls;
    `untimed` are those, and probes, whose time cannot be known.
    """

    spans: tuple[Span, ...]
    unfinished: tuple[str, ...]
    untimed: tuple[str, ...] = ()


def parse_initcalls(lines: Sequence[KernelLine], offset_ns: int = 0) -> InitcallLog:
    """The initcalls and probes of a kernel's log, on the clock that `offset_ns` leads to.

    A span's name is the function's, its module behind it in brackets, or the
    device's. Its duration is what the kernel printed. Older kernels divide
    nanoseconds by 1024 and call the result microseconds, 2.4% too few; the oldest
    print milliseconds.

    Its start is the time of the "returned" record less the duration: the kernel
    reads the clock just before that record, while between a "calling" record and
    the call itself it prints the record, which takes longer than many an
    initcall. Spans inside one another stay so. The start is never before the
    "calling" record, where there is one, and None where the kernel's clock did not
    run yet.

    Until "Switched to clocksource", durations are printed in steps of the timer's
    tick, 4 or 10 ms: 0 for most calls and 10 ms for whichever saw the tick. The
    times of the records are finer, so that an initcall called before the switch
    lasts from one of its records to the other, the printing of the first
    included: an upper bound. An initcall without a "calling" record is untimed there.

    `returned` is as printed: a deferred probe gives -517 or 517, by kernel version,
    and a probe may be deferred many times. Async calls print none in newer kernels,
    and have 0. A record found twice, with the same time and text (a dmesg shown on
    the console, or the kernel's replay), counts once.
    """
    fine_ns = next((line.time_ns for line in lines if _SWITCHED.match(line.text)), 0)
    spans: list[Span] = []
    untimed: list[str] = []
    called: dict[str, list[int]] = {}
    seen: set[str] = set()
    for line in lines:
        if line.rest:
            line = _whole(line)
        time_ns, text = line.time_ns, line.text
        if not text.startswith(("calling ", "initcall ", "probe of ")):
            continue
        key = f"{time_ns} {text}"
        if key in seen:
            continue
        seen.add(key)
        match = _CALLING.match(text)
        if match is not None:
            name = match[1] + (match[2] or "")
            called.setdefault(name, []).append(time_ns)
            continue
        match = _RETURNED.match(text)
        if match is None:
            continue
        function, module, device, returned, time, unit = match.groups()
        kind: Literal["initcall", "probe"] = "probe"
        name, calls = device, None
        if device is None:
            kind, name = "initcall", function + (module or "")
            calls = called.get(name)
        duration_ns = int(time) * _UNIT_NS[unit]
        start_ns = time_ns - duration_ns
        if calls:
            call_ns = calls.pop()
            if not calls:
                del called[name]
            start_ns = max(call_ns, start_ns)
            if call_ns < fine_ns:
                start_ns, duration_ns = call_ns, max(0, time_ns - call_ns)
        elif max(0, start_ns) < fine_ns:
            untimed.append(name)
            continue
        known = time_ns > 0 and start_ns >= 0
        spans.append(
            Span(
                kind=kind,
                name=name,
                start_ns=start_ns + offset_ns if known else None,
                duration_ns=duration_ns,
                returned=int(returned or 0),
            )
        )
    unfinished = sorted((time_ns, name) for name, times in called.items() for time_ns in times)
    return InitcallLog(tuple(spans), tuple(name for _, name in unfinished), tuple(untimed))


def _whole(line: KernelLine) -> KernelLine:
    """The line with its rest, if the two make a record that the line alone does not."""
    if _CALLING.match(line.text) or _RETURNED.match(line.text):
        return line
    return line._replace(text=line.text + line.rest)
