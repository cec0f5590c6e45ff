# SPDX-License-Identifier: Apache-2.0
"""Reads what `perfboard-probe wakeups` prints, and `meter` after it (native/probe/commands)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from perfboard.analysis.power.energy import Reading, energies
from perfboard.analysis.power.meter import Meter
from perfboard.model.results.wakeups import Playback
from perfboard.model.rows import Count, Positive, Row, Text, Whole, Word, read_rows

# The probe refuses a load before it begins.
_FORBIDDEN = re.compile(r"load \w+: Operation not permitted")
_TICKS = 100
# A file has 256 KiB.
_CHUNKS = 64


class _WayRow(Row):
    way: Annotated[str, Field(pattern=r"^[a-z]{1,10}$")]
    level: Annotated[str, Field(pattern=r"^(\d{1,2}|adaptive)$")]
    load: Annotated[str, Field(pattern=r"^[a-z]{1,10}\d{0,4}$")]


class _PlaybackRow(_WayRow):
    row: Literal["playback"]
    elapsed_ns: Positive
    idle_ticks: Count
    switches: Count
    writer_switches: Count
    chunks: Count
    bursts: Count = 0
    wakes: Count
    missed: Count
    latency_max_ns: Count
    needed_max_ns: Count = 0
    fill: tuple[Count, ...] = ()
    at_level: tuple[Count, ...] = ()
    latency: Annotated[tuple[Count, ...], Field(max_length=200)]


class _UnplayedRow(_WayRow):
    row: Literal["unplayed"]
    why: Text


class _StateRow(Row):
    row: Literal["state"]
    name: Word
    us: Count


class _ReadingRow(Row):
    row: Literal["reading"]
    ns: Count
    numbers: Annotated[tuple[Whole | None, ...], Field(max_length=32)]


class _MeterRow(Row):
    row: Literal["meter"]
    switches: Count


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
    states: dict[str, float] = {}
    readings: list[Reading] = []
    for row in read_rows(output, _PlaybackRow, _UnplayedRow, _StateRow, _ReadingRow, _MeterRow):
        match row:
            case _StateRow():
                states[row.name] = states.get(row.name, 0.0) + row.us / 1e6
            case _ReadingRow() if metered and len(row.numbers) == len(metered.meter.files):
                readings.append((row.ns, row.numbers))
            case _MeterRow() if found and metered:
                found[-1] = _with_energy(found[-1], metered, readings, row.switches)
            case _UnplayedRow():
                why = row.why + (" (it needs root)" if _FORBIDDEN.fullmatch(row.why) else "")
                found.append(Playback(way=row.way, level=row.level, load=row.load, refused=why))
            case _PlaybackRow():
                found.append(_playback(row, states))
        if isinstance(row, _WayRow):
            states, readings = {}, []
    return found


def _with_energy(
    playback: Playback, metered: MeterPlan, readings: Sequence[Reading], switches: int
) -> Playback:
    if playback.refused:
        return playback
    changed: dict[str, object] = {"switches": max(0, playback.switches - 2 * switches)}
    try:
        found = energies(metered.meter, readings, metered.period_s)
    except ValueError as error:
        return playback.model_copy(update={**changed, "no_energy": str(error)})
    return playback.model_copy(update={**changed, "energies": tuple(found)})


def _playback(row: _PlaybackRow, states: dict[str, float]) -> Playback:
    return Playback(
        way=row.way,
        level=row.level,
        load=row.load,
        elapsed_s=row.elapsed_ns / 1e9,
        idle_s=row.idle_ticks / _TICKS,
        switches=row.switches,
        writer_switches=row.writer_switches,
        copies=row.chunks / _CHUNKS,
        bursts=row.bursts,
        wakes=row.wakes,
        missed=row.missed,
        latency_max_ns=row.latency_max_ns,
        # Only the driver of ours knows it.
        needed_ns=row.needed_max_ns if row.way == "sink" else None,
        fill=_counted(row.fill),
        at_level=_counted(row.at_level),
        latency=tuple((_least_of(place), count) for place, count in _counted(row.latency).items()),
        states=states,
    )


def _counted(counts: Sequence[int]) -> dict[int, int]:
    return {place: count for place, count in enumerate(counts) if count}


def _least_of(place: int) -> int:
    """The least latency of a class in ns (native/probe/commands/wakeups/count.c)."""
    return (4 + place % 4) << (place // 4 - 2) if place >= 12 else 0
