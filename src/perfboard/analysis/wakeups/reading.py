# SPDX-License-Identifier: Apache-2.0
"""Reads what `perfboard-probe wakeups` prints (native/probe/wakeups/wakeups.c)."""

import re
from collections.abc import Sequence

from perfboard.model.results.wakeups import Playback

_HEAD = re.compile(r"@wakeups ([a-z]{1,10}) (\d{1,2}|adaptive) ([a-z]{1,10}\d{0,4})")
_FIGURE = re.compile(r"([a-z_]{1,40}) (\d{1,18})(?: (\d{1,18}))?")
_REFUSED = re.compile(r"refused (.{1,200})")
_TICKS = 100
# A file has 256 KiB.
_CHUNKS = 64


def read_playbacks(output: str) -> list[Playback]:
    """The whole playbacks of an output, in their order."""
    found: list[Playback] = []
    head: tuple[str, str, str] | None = None
    figures: list[tuple[str, int, int | None]] = []
    refused = ""
    for line in output.splitlines():
        if match := _HEAD.fullmatch(line):
            head, figures, refused = (match[1], match[2], match[3]), [], ""
        elif head is None:
            continue
        elif line == "@end":
            found.append(_playback(head, figures, refused))
            head = None
        elif match := _REFUSED.fullmatch(line):
            refused = match[1]
        elif match := _FIGURE.fullmatch(line):
            figures.append((match[1], int(match[2]), int(match[3]) if match[3] else None))
    return found


def _playback(
    head: tuple[str, str, str], figures: Sequence[tuple[str, int, int | None]], refused: str
) -> Playback:
    way, level, load = head
    single = {name: value for name, value, count in figures if count is None}
    places: dict[str, list[tuple[int, int]]] = {"fill": [], "level": [], "latency": []}
    for name, value, count in figures:
        if count is not None and name in places:
            places[name].append((value, count))
    if refused or not single.get("elapsed_ns"):
        return Playback(way=way, level=level, load=load, refused=refused or "it said nothing")
    return Playback(
        way=way,
        level=level,
        load=load,
        elapsed_s=single["elapsed_ns"] / 1e9,
        idle_s=(single.get("cpu_idle", 0) + single.get("cpu_iowait", 0)) / _TICKS,
        switches=single.get("switches", 0),
        writer_switches=single.get("writer_voluntary", 0) + single.get("writer_involuntary", 0),
        copies=single.get("chunks", 0) / _CHUNKS,
        bursts=single.get("bursts", 0),
        wakes=single.get("wakes", 0),
        missed=single.get("missed", 0),
        latency_max_ns=single.get("latency_max_ns", 0),
        needed_ns=single.get("needed_max_ns"),
        fill=dict(places["fill"]),
        at_level=dict(places["level"]),
        latency=tuple(sorted(places["latency"])),
    )
