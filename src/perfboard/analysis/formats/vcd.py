# SPDX-License-Identifier: Apache-2.0
"""Value change dumps, as IEEE 1364 has them and logic analysers write them."""

import re
from collections.abc import Mapping
from itertools import chain
from typing import BinaryIO

from perfboard.analysis.formats.capture import (
    MOST_NS,
    PORTION,
    Capture,
    lines_in_portions,
    period_ns,
    rate_hz,
    unknown_channels,
)

_MOST_HEADER = 1 << 20
_TIMESCALE = re.compile(r"\$timescale\s+(1|10|100)\s*([munpf]?s)\s+\$end")
_VARIABLE = re.compile(r"\$var\s+\w{1,20}\s+1\s+([!-~]{1,20})\s+(\S{1,200})(?:\s+\[0\])?\s+\$end")
_COMMENT = re.compile(r"\$comment\s(.{0,4000}?)\$end", re.DOTALL)
_TIME = re.compile(rb"(?:\A|\n)[ \t]*#([0-9]{1,19})(?=\s)")
_END = b"$enddefinitions"


def read_vcd(stream: BinaryIO, wanted: Mapping[str, int]) -> Capture:
    """The first edges of each channel in `wanted`, as many as it says.

    Reads no further than these, and memory does not grow with the file. A step of the times is as
    the comment of a sampling program states its rate, else the file's unit of time. Raises
    ValueError for a file that is no such dump.
    """
    portions = lines_in_portions(stream)
    header = b""
    while _END not in header:
        portion = next(portions, None)
        if portion is None or len(header) > _MOST_HEADER + PORTION:
            raise ValueError("its header has no end ($enddefinitions)")
        header += portion
    split = header.index(b"\n", header.index(_END))
    capture, codes = _header(header[:split].decode("latin-1"))
    if words := unknown_channels(wanted, capture.channels):
        raise ValueError(words)
    pending = {codes[name].encode(): (name, count) for name, count in wanted.items()}
    unit_ns = capture.step_ns
    comments = " ".join(_COMMENT.findall(header[:split].decode("latin-1")))
    if hz := rate_hz(comments):
        capture.step_ns = max(1e9 / hz, unit_ns)
    capture.edges = {name: [] for name in wanted}
    levels: dict[bytes, bytes] = {}
    now = 0
    for portion in chain([header[split:]], portions):
        now = _changes(portion, now, unit_ns, pending, levels, capture)
        if not pending:
            return capture
    capture.end_ns = _ns(now, unit_ns)
    return capture


def _header(text: str) -> tuple[Capture, dict[str, str]]:
    """An empty capture whose step is the unit of time, and each channel's code."""
    scale = _TIMESCALE.search(text)
    if scale is None:
        raise ValueError("its header has no unit of time ($timescale)")
    codes = {name: code for code, name in _VARIABLE.findall(text)}
    return Capture(tuple(codes), period_ns(scale[1], scale[2])), codes


def _changes(
    portion: bytes,
    now: int,
    unit_ns: float,
    pending: dict[bytes, tuple[str, int]],
    levels: dict[bytes, bytes],
    capture: Capture,
) -> int:
    """Adds the edges of a portion; the last time in it. A channel with all its edges is dropped.

    Looks for each channel's changes, and then back for their times: a search is many times as fast
    as a step for each change.
    """
    for code, (name, count) in [*pending.items()]:
        # It begins with the code, for which the search is fast, and looks back.
        literal = re.escape(code)
        change = re.compile(literal + rb"(?<=\s[01]" + literal + rb")(?=\s)")
        edges, then, seen = capture.edges[name], now, 0
        for match in change.finditer(portion):
            level = portion[match.start() - 1 : match.start()]
            before, levels[code] = levels.get(code), level
            if before is None or before == level:
                continue
            then, seen = _time_before(portion, seen, match.start(), then)
            edges.append(_ns(then, unit_ns))
            if len(edges) > 1 and edges[-1] < edges[-2]:
                raise ValueError("its times go back")
            if len(edges) == count:
                del pending[code]
                break
    return _time_before(portion, 0, len(portion), now)[0]


def _time_before(portion: bytes, since: int, at: int, now: int) -> tuple[int, int]:
    """The last time in `portion` between two places, or `now`; and where the search ended."""
    end = at
    while (start := portion.rfind(b"#", since, end)) >= 0:
        line = portion.rfind(b"\n", 0, start)
        match = _TIME.match(portion, max(line, 0), at + 1)
        if match and match.start(1) == start + 1:
            return int(match[1]), start
        end = start
    return now, since


def _ns(now: int, unit_ns: float) -> int:
    found = round(now * unit_ns)
    if found > MOST_NS:
        raise ValueError(f"it has the time {now}, which no capture lasts")
    return found
