# SPDX-License-Identifier: Apache-2.0
"""Initcalls and driver probes, as the kernel logs them with `initcall_debug`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from perfboard.analysis.boot.reading.kernel_log import KernelLine
from perfboard.model.results.boot import Span

# A symbol without its offset, a plain address, or an async call's number and symbol;
# and the module's name in brackets.
_SYMBOL = r"([^\s+]+)(?:\+\S*)?( \[[^\[\]]+\])?"
_STATE = r"(?:with (?:preemption imbalance |disabled interrupts )+)?"
# Behind another text only with an offset, and nothing behind it: "PM: calling  foo+ @ 1, parent".
_CALLING = re.compile(
    rf"(?:\Acalling {{1,2}}{_SYMBOL} @ [0-9]"
    r"|calling {1,2}([^\s+]+)\+0x\S+( \[[^\[\]]+\])?(?: @ [0-9]+)?\s*\Z)"
)
_RETURNED = re.compile(
    rf"(?:initcall {_SYMBOL}|probe of (.+?)(?: with driver (\S+))?) returned "
    rf"(?:(-?[0-9]{{1,10}}) )?{_STATE}after ([0-9]{{1,24}}) ([mu])secs"
)
# Until 2.6.26: by address, with the function behind it and its value in a record of its own.
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
    `untimed` are those, and probes, whose time cannot be known; `beyond` counts
    those that say that they took longer than the boot.
    """

    spans: tuple[Span, ...]
    unfinished: tuple[str, ...]
    untimed: tuple[str, ...] = ()
    beyond: int = 0


def parse_initcalls(
    lines: Sequence[KernelLine], offset_ns: int = 0, longest_ns: int = _LATEST_NS
) -> InitcallLog:
    """The initcalls and probes of a kernel's log, on the clock that `offset_ns` leads to.

    A span's name is the function's, its module behind it in brackets, or the
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
    included: an upper bound. An initcall without a "calling" record is untimed there.

    `returned` is as printed: a deferred probe gives -517 or 517, by kernel version,
    and a probe may be deferred many times. Async calls print none in newer kernels,
    and have 0. A record found twice, with the same time and text (a dmesg shown on
    the console, or the kernel's replay), counts once.
    """
    fine_ns = next((line.time_ns for line in lines if _SWITCHED.search(line.text)), 0)
    found = _Initcalls(fine_ns, offset_ns, longest_ns)
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
    return found.log()


class _Initcalls:
    """The calls of the records so far."""

    def __init__(self, fine_ns: int, offset_ns: int, longest_ns: int) -> None:
        self._fine_ns = fine_ns
        self._offset_ns = offset_ns
        self._longest_ns = longest_ns
        self._spans: list[Span] = []
        self._untimed: list[str] = []
        self._called: dict[str, list[int]] = {}
        self._values: dict[str, int] = {}
        self._beyond = 0

    def log(self) -> InitcallLog:
        unfinished = sorted((t_ns, name) for name, times in self._called.items() for t_ns in times)
        names = tuple(name for _, name in unfinished)
        return InitcallLog(tuple(self._spans), names, tuple(self._untimed), self._beyond)

    def add(self, time_ns: int, text: str) -> None:
        """The next record, with its time on the kernel's clock."""
        if match := _RETURNED.search(text):
            function, module, device, driver, returned, time, unit = match.groups()
            name = device if function is None else function + (module or "")
            kind: Literal["initcall", "probe"] = "probe" if function is None else "initcall"
            self._ended(kind, name, time_ns, int(time) * _UNIT_NS[unit], int(returned or 0), driver)
        elif match := _CALLING.search(text):
            name = (match[1] or match[3]) + (match[2] or match[4] or "")
            self._called.setdefault(name, []).append(time_ns)
        elif match := _RAN_BY_ADDRESS.search(text):
            value = self._values.pop(match[1], 0)
            name = match[3] or match[1]
            self._ended("initcall", name, time_ns, int(match[2]) * _UNIT_NS["m"], value)
        elif match := _VALUE_BY_ADDRESS.search(text):
            self._values[match[1]] = int(match[2])
        elif match := _CALLED_BY_ADDRESS.search(text):
            self._called.setdefault(match[2] or match[1], []).append(time_ns)

    def _ended(
        self,
        kind: Literal["initcall", "probe"],
        name: str,
        time_ns: int,
        duration_ns: int,
        returned: int,
        driver: str | None = None,
    ) -> None:
        calls = self._called.get(name) if kind == "initcall" else None
        start_ns = time_ns - duration_ns
        if calls:
            call_ns = calls.pop()
            if not calls:
                del self._called[name]
            start_ns = max(call_ns, start_ns)
            if call_ns < self._fine_ns:
                start_ns, duration_ns = call_ns, max(0, time_ns - call_ns)
        elif max(0, start_ns) < self._fine_ns:
            self._untimed.append(name)
            return
        if duration_ns > self._longest_ns:
            self._beyond += 1
            return
        begun_ns = start_ns + self._offset_ns
        # A kernel's stamp may lie near the end of what 64 bits hold.
        known = time_ns > 0 and start_ns >= 0 and begun_ns <= _LATEST_NS
        self._spans.append(
            Span(
                kind=kind,
                name=name,
                driver=driver,
                start_ns=begun_ns if known else None,
                duration_ns=duration_ns,
                returned=returned,
            )
        )
