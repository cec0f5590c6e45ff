# SPDX-License-Identifier: Apache-2.0
"""Initcalls and driver probes, as the kernel logs them with `initcall_debug`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from perfboard.analysis.boot.reading.kernel_log import KernelLine
from perfboard.analysis.boot.reading.ticks import PrintedTime, ticked_times
from perfboard.model.results.boot import Span

# A symbol without its offset, a plain address, or an async call's number and symbol;
# and the module's name in brackets.
_SYMBOL = r"([^\s+]+)(?:\+\S*)?( \[[^\[\]]+\])?"
_STATE = r"(?:with (?:preemption imbalance |disabled interrupts )+)?"
# After another text only with an offset, and nothing after it: "PM: calling  foo+ @ 1, parent".
_CALLING = re.compile(
    rf"(?:\Acalling {{1,2}}{_SYMBOL} @ [0-9]"
    r"|calling {1,2}([^\s+]+)\+0x\S+( \[[^\[\]]+\])?(?: @ [0-9]+)?\s*\Z)"
)
_RETURNED = re.compile(
    rf"(?:initcall {_SYMBOL}|probe of (.+?)(?: with driver (\S+))?) returned "
    rf"(?:(-?[0-9]{{1,10}}) )?{_STATE}after ([0-9]{{1,24}}) ([mu])secs"
)
# Until 2.6.26: by address, with the function after it and its value in a record of its own.
_CALLED_BY_ADDRESS = re.compile(r"Calling initcall (0x[0-9a-f]+)(?::? \.?([^\s+(]+)\S*)?\s*\Z")
_VALUE_BY_ADDRESS = re.compile(r"initcall (0x[0-9a-f]+)\S* .* returned (-?[0-9]{1,10})\.")
_RAN_BY_ADDRESS = re.compile(
    r"initcall (0x[0-9a-f]+) ran for ([0-9]{1,24}) msecs:(?: \.?([^\s+(]+))?"
)
# Until then the kernel times initcalls with the timer tick.
_SWITCHED = re.compile(r"(?:clocksource: )?Switch(?:ed|ing) to clocksource ")
_LATEST_NS = 2**63 - 1
_UNIT_NS = {"u": 1_000, "m": 1_000_000}


@dataclass(frozen=True)
class InitcallLog:
    """The spans in the order they ended, and the names of what has none.

    `unfinished` are initcalls that never returned, in the order of their calls;
    `untimed` are those, and driver probes, whose time cannot be known. `notes` say in sentences
    what was left out, and what the kernel timed by its tick.
    """

    spans: tuple[Span, ...]
    unfinished: tuple[str, ...]
    untimed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def parse_initcalls(
    lines: Sequence[KernelLine], offset_ns: int = 0, longest_ns: int = _LATEST_NS
) -> InitcallLog:
    """The initcalls and driver probes of a kernel's log, on the clock that `offset_ns` leads to.

    A span's name is the function's, its module after it in brackets, or the
    device's, with its driver where the kernel names that. None lasts longer than `longest_ns`.
    Its duration is what the kernel printed. Older kernels divide
    nanoseconds by 1024 and call the result microseconds, 2.4% too few; the oldest
    print milliseconds.

    Its start is the time of the "returned" record less the duration: the kernel
    reads the clock just before that record, while between a "calling" record and
    the call itself it prints the record, which takes longer than many an
    initcall. Spans inside one another stay so. The start is never before the
    "calling" record, where there is one, and None where the kernel's clock did not
    run yet, or is out of all range.

    Until "Switched to clocksource", durations are printed in steps of the timer's
    tick, 4 or 10 ms: 0 for most calls and 10 ms for whichever saw the tick. The
    times of the records are finer, so that an initcall called before the switch
    lasts from one of its records to the other, the printing of the first
    included: an upper bound. An initcall without a "calling" record is untimed there. If
    that line is not in the log, it is so up to the last duration in ticks (`ticks.py`), unless the
    records' times are no finer: all are untimed then.

    `returned` is as printed: a deferred driver probe gives -517 or 517, by kernel version,
    and a driver probe may be deferred many times. Async calls print none in newer kernels,
    and have 0. A record found twice, with the same time and text (a dmesg shown on
    the console, or the kernel's replay), counts once.
    """
    found = _Initcalls()
    seen: set[str] = set()
    for line in lines:
        text = line.text
        if line.rest and not (_CALLING.search(text) or _RETURNED.search(text)):
            text += line.rest
        if "calling " not in text and "initcall " not in text and "probe of " not in text:
            continue
        key = f"{line.time_ns} {text}"
        if key not in seen:
            seen.add(key)
            found.add(line.time_ns, text)
    return found.log(lines, offset_ns, longest_ns)


class _CallReturn(NamedTuple):
    """A call or probe that returned: as printed, and when it was called, if a record says so."""

    kind: Literal["initcall", "probe"]
    name: str
    driver: str | None
    time_ns: int
    call_ns: int | None
    printed: int
    unit: str
    returned: int


class _Fine(NamedTuple):
    """From `ns` on the kernel times calls finely; before it by `tick_us`, if that is known.

    `by_records`: the times of the records before are finer than that.
    """

    ns: int
    tick_us: int = 0
    by_records: bool = True

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence on the tick, if it is known."""
        if not self.tick_us:
            return ()
        timed = f"The kernel timed initcalls by its tick of {self.tick_us} us"
        if self.by_records:
            return (f"{timed}: they last from one of their records to the other.",)
        return (f"{timed}, and the times of its records are no finer: they have no durations.",)


class _Initcalls:
    """The calls of the records so far."""

    def __init__(self) -> None:
        self._ended: list[_CallReturn] = []
        self._called: dict[str, list[int]] = {}
        self._values: dict[str, int] = {}

    def log(self, lines: Sequence[KernelLine], offset_ns: int, longest_ns: int) -> InitcallLog:
        """The calls on the clock that the offset leads to, none longer than `longest_ns`."""
        fine = self._fine(lines)
        spans: list[Span] = []
        untimed: list[str] = []
        beyond = 0
        for ended in self._ended:
            lasted = _lasted(ended, fine)
            if lasted is None:
                untimed.append(ended.name)
            elif lasted[1] > longest_ns:
                beyond += 1
            else:
                spans.append(_span(ended, *lasted, offset_ns))
        notes = fine.notes
        if beyond:
            left_out = "Initcalls and driver probes left out, which claim to last longer than"
            notes = (*notes, f"{left_out} the boot: {beyond}.")
        unfinished = sorted((t_ns, name) for name, times in self._called.items() for t_ns in times)
        return InitcallLog(
            tuple(spans), tuple(name for _, name in unfinished), tuple(untimed), notes
        )

    def _fine(self, lines: Sequence[KernelLine]) -> _Fine:
        """When the kernel says that it has a fine clock, or else when its durations show one."""
        switched = next((line.time_ns for line in lines if _SWITCHED.search(line.text)), None)
        if switched is not None:
            return _Fine(switched)
        timed = [ended for ended in self._ended if ended.unit == "u"]
        ticked = ticked_times(
            [
                PrintedTime(e.printed, None if e.call_ns is None else e.time_ns - e.call_ns)
                for e in timed
            ]
        )
        if ticked is None:
            return _Fine(0)
        fine_ns = timed[ticked.number].time_ns if ticked.number < len(timed) else _LATEST_NS
        times = sorted({line.time_ns for line in lines if line.time_ns < fine_ns})
        step_ns = min((later - ns for ns, later in pairwise(times)), default=fine_ns)
        return _Fine(fine_ns, int(ticked.tick_us), by_records=step_ns < ticked.tick_us * 1000)

    def add(self, time_ns: int, text: str) -> None:
        """The next record, with its time on the kernel's clock."""
        if match := _RETURNED.search(text):
            function, module, device, driver, returned, time, unit = match.groups()
            name = device if function is None else function + (module or "")
            kind: Literal["initcall", "probe"] = "probe" if function is None else "initcall"
            self._end(kind, name, driver, time_ns, int(time), unit, int(returned or 0))
        elif match := _CALLING.search(text):
            name = (match[1] or match[3]) + (match[2] or match[4] or "")
            self._called.setdefault(name, []).append(time_ns)
        elif match := _RAN_BY_ADDRESS.search(text):
            value = self._values.pop(match[1], 0)
            name = match[3] or match[1]
            self._end("initcall", name, None, time_ns, int(match[2]), "m", value)
        elif match := _VALUE_BY_ADDRESS.search(text):
            self._values[match[1]] = int(match[2])
        elif match := _CALLED_BY_ADDRESS.search(text):
            self._called.setdefault(match[2] or match[1], []).append(time_ns)

    def _end(
        self,
        kind: Literal["initcall", "probe"],
        name: str,
        driver: str | None,
        time_ns: int,
        printed: int,
        unit: str,
        returned: int,
    ) -> None:
        calls = self._called.get(name) if kind == "initcall" else None
        call_ns = calls.pop() if calls else None
        if calls is not None and not calls:
            del self._called[name]
        self._ended.append(
            _CallReturn(kind, name, driver, time_ns, call_ns, printed, unit, returned)
        )


def _lasted(ended: _CallReturn, fine: _Fine) -> tuple[int, int] | None:
    """Its start, on the kernel's clock, and its duration; None where that was too coarse."""
    duration_ns, call_ns = ended.printed * _UNIT_NS[ended.unit], ended.call_ns
    start_ns = ended.time_ns - duration_ns
    if call_ns is None:
        return None if max(0, start_ns) < fine.ns else (start_ns, duration_ns)
    if call_ns >= fine.ns:
        return max(call_ns, start_ns), duration_ns
    return (call_ns, max(0, ended.time_ns - call_ns)) if fine.by_records else None


def _span(ended: _CallReturn, start_ns: int, duration_ns: int, offset_ns: int) -> Span:
    begun_ns = start_ns + offset_ns
    # A kernel's stamp may lie near the end of what 64 bits hold.
    known = ended.time_ns > 0 and start_ns >= 0 and begun_ns <= _LATEST_NS
    return Span(
        kind=ended.kind,
        name=ended.name,
        driver=ended.driver,
        start_ns=begun_ns if known else None,
        duration_ns=duration_ns,
        returned=ended.returned,
    )
