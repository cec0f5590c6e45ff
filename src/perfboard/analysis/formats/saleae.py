# SPDX-License-Identifier: Apache-2.0
"""Exports of Saleae Logic 2: a table of changes, and binary files of one channel each."""

import math
import re
import struct
from collections.abc import Mapping
from itertools import chain
from typing import Any, BinaryIO

from perfboard.analysis.formats.capture import (
    MOST_NS,
    Capture,
    lines_in_portions,
    unknown_channels,
)

MAGIC = b"<SALEAE>"
HEADING = b"Time [s],"
# Times are written with nine decimals.
_STEP_NS = 1.0
_COMMON = struct.Struct("<8sii")
_DIGITAL = struct.Struct("<IddQ")
_CHUNK = struct.Struct("<IdddQ")
_COUNT = struct.Struct("<Q")
_TIME = struct.Struct("<d")
_ROW = re.compile(rb"(-?[0-9]{1,10}(?:\.[0-9]{1,20})?),([01xX,]{1,400})")


def read_saleae_table(stream: BinaryIO, wanted: Mapping[str, int]) -> Capture:
    """The first edges of each channel in `wanted` of the table, which has a row for each change.

    Raises ValueError for a file that is no such table.
    """
    portions = lines_in_portions(stream)
    first = next(portions, b"")
    heading, _, rest = first.partition(b"\n")
    if not heading.startswith(HEADING):
        raise ValueError('it does not begin with "Time [s],"')
    names = [name.strip(' "') for name in heading.decode("utf-8", "replace").strip().split(",")[1:]]
    if words := unknown_channels(wanted, names):
        raise ValueError(words)
    capture = Capture(tuple(names), _STEP_NS, {name: [] for name in wanted})
    # A row's levels are one character each: their places after the first comma.
    pending = {name: names.index(name) * 2 for name in wanted}
    levels: dict[str, bytes] = {}
    gaps = False
    for portion in chain([rest], portions):
        # Each search is for the next row in which the channel has another level.
        rows = b"\n" + portion
        for name, place in [*pending.items()]:
            edges, at = capture.edges[name], 0
            while True:
                known = levels.get(name, b"")
                pattern = rb"\n[^,\n]*,.{%d}([^%s\r\n])" % (place, known)
                match = re.compile(pattern).search(rows, at)
                if match is None:
                    break
                at = match.end(1)
                end = rows.find(b"\n", at)
                line = rows[match.start() + 1 : end if end >= 0 else len(rows)].rstrip()
                row = _ROW.fullmatch(line)
                if row is None:
                    raise ValueError(f'it has the row "{line[:40].decode("latin-1")}", no change')
                if match[1] not in (b"0", b"1"):
                    gaps = True
                    continue
                levels[name] = match[1]
                if not known:
                    continue
                edges.append(_ns(float(row[1])))
                if len(edges) > 1 and edges[-1] < edges[-2]:
                    raise ValueError("its times go back")
                if len(edges) == wanted[name]:
                    del pending[name]
                    break
        if not pending:
            break
    if gaps:
        capture.notes = ("The capture has gaps; an edge in one is not seen.",)
    return capture


def read_saleae_binary(stream: BinaryIO, channel: str, wanted: Mapping[str, int]) -> Capture:
    """The first edges of the one `channel` that a binary export has, of version 0 or 1.

    Raises ValueError for a file that is no such export.
    """
    magic, version, kind = _unpack(_COMMON, stream)
    if magic != MAGIC:
        raise ValueError("it does not begin with <SALEAE>")
    if kind != 0:
        raise ValueError("it holds an analog channel; export the digital ones")
    if version not in (0, 1):
        raise ValueError(f"it has version {version}; this Perfboard reads 0 and 1")
    if words := unknown_channels(wanted, [channel]):
        raise ValueError(words)
    capture = Capture((channel,), _STEP_NS, {name: [] for name in wanted})
    count = wanted.get(channel, 0)
    chunks = _unpack(_COUNT, stream)[0] if version else 1
    before: int | None = None
    for number in range(chunks):
        if version:
            level, hz, begin_s, end_s, changes = _unpack(_CHUNK, stream)
            capture.step_ns = 1e9 / hz if 1e-3 < hz < 1e12 else _STEP_NS
        else:
            level, begin_s, end_s, changes = _unpack(_DIGITAL, stream)
        capture.end_ns = _ns(end_s)
        if number:
            capture.notes = ("The capture has gaps; an edge in one is not seen.",)
        edges = capture.edges.setdefault(channel, [])
        if before is not None and before != level and len(edges) < count:
            edges.append(_ns(begin_s))
        for _ in range(changes):
            if len(edges) >= count:
                return capture
            (time_s,) = _unpack(_TIME, stream)
            edges.append(_ns(time_s))
        before = (level + changes) % 2
    return capture


def _unpack(form: struct.Struct, stream: BinaryIO) -> tuple[Any, ...]:
    data = stream.read(form.size)
    if len(data) < form.size:
        raise ValueError("it ends in the middle of a field")
    return form.unpack(data)


def _ns(time_s: float) -> int:
    if not math.isfinite(time_s) or abs(time_s) * 1e9 > MOST_NS:
        raise ValueError(f"it has the time {time_s} s, which no capture lasts")
    return round(time_s * 1e9)
