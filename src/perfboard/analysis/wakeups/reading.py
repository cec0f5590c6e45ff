# SPDX-License-Identifier: Apache-2.0
"""Reads what `perfboard-probe wakeups` prints (native/probe/wakeups/wakeups.c)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.analysis.power.energy import Reading, energies
from perfboard.analysis.power.meter import Meter
from perfboard.model.results.wakeups import Playback

_HEAD = re.compile(r"@wakeups ([a-z]{1,10}) (\d{1,2}|adaptive) ([a-z]{1,10}\d{0,4})")
_FIGURE = re.compile(r"([a-z_]{1,40}) (\d{1,18})(?: (\d{1,18}))?")
_STATE = re.compile(r"state \d{1,2} (\d{1,18}) (\S{1,16})")
_METER = re.compile(r"@meter (\d{1,9})")
_READING = re.compile(r"(\d{1,19})((?: -?\d{1,18}| -){1,32})")
# The probe refuses a load before it begins.
_FORBIDDEN = re.compile(r"load \w+: Operation not permitted")
_REFUSED = re.compile(r"refused (.{1,200})")
_TICKS = 100
# A file has 256 KiB.
_CHUNKS = 64


@dataclass(frozen=True)
class MeterPlan:
    """The meter that the playbacks were under, and how far apart its readings were to be."""

    meter: Meter
    period_s: float


def read_playbacks(output: str, metered: MeterPlan | None = None) -> list[Playback]:
    """The whole playbacks of an output, in their order, each with its energy if there is a meter.

    The meter's own two context switches for each of its readings are taken off.
    """
    found: list[Playback] = []
    head: tuple[str, str, str] | None = None
    lines: list[str] = []
    for line in output.splitlines():
        if match := _HEAD.fullmatch(line):
            head, lines = (match[1], match[2], match[3]), []
        elif line == "@end" and head is not None:
            found.append(_playback(head, lines))
            head = None
        elif match := _METER.fullmatch(line):
            switches, lines = int(match[1]), []
        elif line == "@metered" and found and metered is not None:
            found[-1] = _with_energy(found[-1], metered, lines, switches)
        else:
            lines.append(line)
    return found


def _with_energy(
    playback: Playback, metered: MeterPlan, lines: Sequence[str], switches: int
) -> Playback:
    if playback.refused:
        return playback
    matches = (_READING.fullmatch(line) for line in lines)
    readings: list[Reading] = [
        (int(m[1]), tuple(None if word == "-" else int(word) for word in m[2].split()))
        for m in matches
        if m
    ]
    changed: dict[str, object] = {"switches": max(0, playback.switches - 2 * switches)}
    try:
        found = energies(metered.meter, readings, metered.period_s)
    except ValueError as error:
        return playback.model_copy(update={**changed, "no_energy": str(error)})
    return playback.model_copy(update={**changed, "energies": tuple(found)})


def _playback(head: tuple[str, str, str], lines: Sequence[str]) -> Playback:
    way, level, load = head
    single: dict[str, int] = {}
    places: dict[str, list[tuple[int, int]]] = {"fill": [], "level": [], "latency": []}
    states: dict[str, float] = {}
    refused = ""
    for line in lines:
        if match := _REFUSED.fullmatch(line):
            refused = match[1] + (" (it needs root)" if _FORBIDDEN.fullmatch(match[1]) else "")
        elif match := _STATE.fullmatch(line):
            states[match[2]] = states.get(match[2], 0.0) + int(match[1]) / 1e6
        elif (match := _FIGURE.fullmatch(line)) and not match[3]:
            single[match[1]] = int(match[2])
        elif match and match[1] in places:
            places[match[1]].append((int(match[2]), int(match[3])))
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
        states=states,
    )
