# SPDX-License-Identifier: Apache-2.0
"""Compression as the model predicts it and as it was measured, from the tries of a tune."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from perfboard.analysis.boot.phases import cut_boot
from perfboard.analysis.tune.compression import (
    OVERLAPPED,
    SEQUENTIAL,
    PackedSize,
    Winner,
    overlapped_crossing,
    overlapped_s,
    read_rate,
    sequential_crossing,
    sequential_s,
    winners,
)
from perfboard.model.results.tune import TuneResult
from perfboard.model.units import format_size, format_value
from perfboard.report.charts.plot import Graph, PlotLine
from perfboard.report.sections.tune.rows import TriedRow, booted

FACTOR = "compression"
FLASH = "flash"
_PLAIN = "none"
_COPY, _UNPACK = "boot.kernel.load.copy", "boot.kernel.load.decompress"
_PHASE = "boot.kernel.load"
# A factor that changes the phase by less leaves it as it is.
_SAME = 5e-3
_STEPS = 32
_BEYOND = 4.0
_FORMS = ((SEQUENTIAL, ""), (OVERLAPPED, "overlapped: "))


@dataclass(frozen=True)
class CompressionRow:
    """One compressor at one set-up of the flash: predicted, also with overlap, and measured.

    `speed` is that of unpacking, in compressed bytes a second, "" where there is none.
    """

    name: str
    flash: str
    size: str
    speed: str
    predicted: str
    overlapped: str
    measured: str
    off: str


@dataclass(frozen=True)
class Compression:
    """The chart, its table, and sentences: what wins where, and what the rates come from."""

    graph: Graph
    rows: tuple[CompressionRow, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class _Load:
    """One boot's loading of a kernel."""

    name: str
    flash: str
    size: int
    copy_s: float
    unpack_s: float


def compression(tuning: TuneResult) -> Compression | None:
    """The compressors in the tries of the factor `compression`; None with less than two.

    A try counts if it changes only that factor, the flash's set-up, and factors of which no
    level changes the loading by itself. At each set-up one read rate is fitted to all. The time
    of unpacking is from the start's set-up, less the start of an uncompressed kernel there.
    """
    if FACTOR not in tuning.start:
        return None
    base_flash = tuning.start.get(FLASH, "")
    loads = _loads(booted(tuning), tuning.start)
    at_base = {load.name: load for load in loads if load.flash == base_flash}
    if len(at_base) < 2:
        return None
    start_s = at_base[_PLAIN].unpack_s if _PLAIN in at_base else 0.0
    packed = {
        name: PackedSize(load.size, max(0.0, load.unpack_s - start_s) if name != _PLAIN else 0.0)
        for name, load in at_base.items()
    }
    rates = {}
    for flash in dict.fromkeys(load.flash for load in loads):
        here = [load for load in loads if load.flash == flash]
        rate = read_rate([load.size for load in here], [load.copy_s for load in here])
        if rate:
            rates[flash] = rate
    if base_flash not in rates:
        return None
    low, high = min(rates.values()) / _BEYOND, max(rates.values()) * _BEYOND
    return Compression(
        graph=_graph(packed, loads, rates, start_s, low, high),
        rows=tuple(_rows(packed, loads, rates, start_s)),
        sentences=tuple(_sentences(packed, rates, base_flash, start_s, low, high)),
    )


def _loads(tried: Sequence[TriedRow], start: Mapping[str, str]) -> list[_Load]:
    """The first try of each compressor at each set-up of the flash, of those that tell."""
    base = next((each for each in tried if not each.record.levels), None)
    if base is None or base.phases.get(_PHASE, 0.0) <= 0:
        return []
    apart = {
        factor
        for each in tried
        for factor in each.record.levels
        if len(each.record.levels) == 1 and factor not in (FACTOR, FLASH)
        if abs(each.phases.get(_PHASE, 0.0) / base.phases[_PHASE] - 1) > _SAME
    }
    found: dict[tuple[str, str], _Load] = {}
    for each in sorted(tried, key=lambda each: len(each.record.levels)):
        if not apart & each.record.levels.keys() and (load := _load(each, start)):
            found.setdefault((load.name, load.flash), load)
    return list(found.values())


def _load(tried: TriedRow, start: Mapping[str, str]) -> _Load | None:
    levels = tried.record.levels
    steps = {row.name: row.duration_ns / 1e9 for row in cut_boot(tried.boot)}
    size = tried.record.flash.get("kernel", 0)
    if size <= 0 or steps.get(_COPY, 0.0) <= 0 or steps.get(_UNPACK, -1.0) < 0:
        return None
    return _Load(
        name=levels.get(FACTOR, start[FACTOR]),
        flash=levels.get(FLASH, start.get(FLASH, "")),
        size=size,
        copy_s=steps[_COPY],
        unpack_s=steps[_UNPACK],
    )


def _graph(
    packed: Mapping[str, PackedSize],
    loads: Iterable[_Load],
    rates: Mapping[str, float],
    start_s: float,
    low: float,
    high: float,
) -> Graph:
    ratio = (high / low) ** (1 / _STEPS)
    bandwidths = [low * ratio**step for step in range(_STEPS + 1)]
    lines = []
    for look, (name, each) in enumerate(packed.items()):
        predicted = tuple((bw, sequential_s(each, bw)) for bw in bandwidths)
        lines.append(PlotLine(f"{name}, predicted", predicted, look, dashed=True))
        if each.unpack_s:
            overlapped = tuple((bw, overlapped_s(each, bw)) for bw in bandwidths)
            lines.append(PlotLine(f"{name}, overlapped", overlapped, look, dashed=True, thin=True))
        points = sorted(
            (rates[load.flash], load.copy_s + load.unpack_s - start_s)
            for load in loads
            if load.name == name and load.flash in rates
        )
        above = tuple(point for point in points if point[1] > 0)
        if above:
            lines.append(PlotLine(f"{name}, measured", above, look))
    lines += _crossings(packed, low, high, len(packed))
    return Graph(
        title="Compressors over the flash's read bandwidth",
        caption="The time to copy and unpack the kernel: the compressed size over the read "
        "bandwidth and what unpacking takes (the boot study's equation; overlapped: the slower of "
        "the two alone), and what the boots took at each set-up of the flash, less what a kernel "
        "that is not compressed takes to start. A mark alone is where another compressor begins "
        "to win.",
        x="read bandwidth, bytes a second",
        x_bytes=True,
        y="time to have the kernel",
        unit="s",
        lines=tuple(lines),
    )


def _crossings(
    packed: Mapping[str, PackedSize], low: float, high: float, look: int
) -> Iterator[PlotLine]:
    """A mark at each bandwidth where another compressor becomes the fastest."""
    for form, prefix in _FORMS:
        for winner in winners(packed, low, high, form)[:-1]:
            point = winner.high, form.seconds(packed[winner.name], winner.high)
            yield PlotLine(prefix + _stretch(winner, low, high), (point,), look)
            look += 1


def _stretch(winner: Winner, low: float, high: float) -> str:
    """The bandwidths at which a compressor wins."""
    if winner.low <= low and winner.high >= high:
        return f"{winner.name} wins at every bandwidth shown"
    if winner.low <= low:
        return f"below {_rate(winner.high)} of flash, {winner.name} wins"
    if winner.high >= high:
        return f"from {_rate(winner.low)} of flash, {winner.name} wins"
    return f"from {_rate(winner.low)} to {_rate(winner.high)} of flash, {winner.name} wins"


def _rows(
    packed: Mapping[str, PackedSize],
    loads: Iterable[_Load],
    rates: Mapping[str, float],
    start_s: float,
) -> Iterable[CompressionRow]:
    for load in loads:
        if load.name not in packed or load.flash not in rates:
            continue
        each, rate = packed[load.name], rates[load.flash]
        predicted = sequential_s(each, rate)
        measured = load.copy_s + load.unpack_s - start_s
        yield CompressionRow(
            name=load.name,
            flash=load.flash,
            size=format_size(load.size),
            speed=_rate(each.size / each.unpack_s) if each.unpack_s else "",
            predicted=format_value(predicted, "s"),
            overlapped=format_value(overlapped_s(each, rate), "s"),
            measured=format_value(measured, "s"),
            off=f"{predicted / measured - 1:+.1%}" if measured > 0 else "",
        )


def _sentences(
    packed: Mapping[str, PackedSize],
    rates: Mapping[str, float],
    base_flash: str,
    start_s: float,
    low: float,
    high: float,
) -> Iterable[str]:
    for form, prefix in _FORMS:
        found = (_stretch(winner, low, high) for winner in winners(packed, low, high, form))
        words = prefix + "; ".join(found)
        yield f"{words[0].upper()}{words[1:]}."
    names = list(packed)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            first = sequential_crossing(packed[one], packed[other])
            second = overlapped_crossing(packed[one], packed[other])
            small = min((one, other), key=lambda name: packed[name].size)
            large = other if small == one else one
            if first is not None and second is not None and math.isfinite(second):
                yield (
                    f"{small} is faster than {large} below {_rate(first)}; where reading and "
                    f"unpacking overlap, below {_rate(second)}."
                )
    measured = ", ".join(f"{_rate(rate)} at flash={flash}" for flash, rate in rates.items())
    yield (
        f"The read bandwidth is fitted to the copies by the bootloader: {measured}. The "
        f"time of unpacking is that of the boots at flash={base_flash}"
        + (f", less {format_value(start_s, 's')} that the kernel takes there without." if start_s
           else ", with the kernel's early set-up in it.")
    )  # fmt: skip


def _rate(bandwidth: float) -> str:
    return format_value(bandwidth, "B/s")
