# SPDX-License-Identifier: Apache-2.0
"""Kernel traces as text: lines of ftrace, trace-cmd report and perf script."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_HINT = re.compile(rb"\[\d{1,4}\]")
# A task's name may have blanks; ftrace joins its number with a dash.
_LINE = re.compile(
    r"\s{0,32}(?:\S{1,40}:\s{1,4})?(?P<task>\S.{0,31}?)(?:-|\s{1,8})(?P<pid>\d{1,7})(?:/\d{1,7})?"
    r"\s{1,12}(?:\(\s{0,8}[\d-]{1,8}\)\s{1,8})?\[(?P<cpu>\d{1,4})\]\s{1,8}"
    r"(?:[A-Za-z.#\d]{4,6}\s{1,8})?"
    r"(?P<s>\d{1,9})\.(?P<part>\d{6}|\d{9}):\s{1,12}(?P<what>.{1,4000})"
)
_EVENT = re.compile(
    r"(?:\d{1,12}\s{1,8})?(?:[\w-]{1,60}:)?(?P<name>[\w-]{1,80}):(?:\s+(?P<text>.*))?"
)
_FUNCTION = re.compile(r"(?P<name>[A-Za-z_][\w.]{0,120}) <-[\w.]{1,120}")
FUNCTION = "function"
"""The event of a line of the function tracer; its text is the function's name."""


class TraceEvent(NamedTuple):
    """An event at `t_ns` of the trace's clock; `text` are its fields as they were printed.

    Its precision is half the last digit: ftrace rounds. perf cuts off, which makes all of its times
    as much too early, and is no error among them.
    """

    t_ns: int
    precision_ns: int
    cpu: int
    pid: int
    task: str
    name: str
    text: str


def trace_event(raw: bytes) -> TraceEvent | None:
    """The event on a line, or None for a line of another kind, as of a call chain."""
    if _HINT.search(raw, 0, 200) is None:
        return None
    line = raw.decode("utf-8", "replace").rstrip("\r\n")
    match = _LINE.match(line)
    if match is None:
        return None
    if found := _FUNCTION.match(match["what"]):
        name, text = FUNCTION, found["name"]
    elif found := _EVENT.match(match["what"]):
        name, text = found["name"], found["text"] or ""
    else:
        return None
    digits = match["part"]
    unit_ns = 10 ** (9 - len(digits))
    t_ns = int(match["s"]) * 10**9 + int(digits) * unit_ns
    return TraceEvent(
        t_ns,
        max(1, unit_ns // 2),
        int(match["cpu"]),
        int(match["pid"]),
        match["task"].strip(),
        name,
        text,
    )


def trace_events(lines: Iterable[bytes]) -> Iterator[TraceEvent]:
    """The events of a text, in its order."""
    for raw in lines:
        if (event := trace_event(raw)) is not None:
            yield event
