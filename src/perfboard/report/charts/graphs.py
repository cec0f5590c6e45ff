# SPDX-License-Identifier: Apache-2.0
"""The graphs of a run's metrics: the set-top box study's, where it has their measurements."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from perfboard.analysis.statistics.cache_steps import CacheStep
from perfboard.analysis.statistics.curves import Curve, curves
from perfboard.model.run import Metric
from perfboard.model.units import format_size
from perfboard.report.charts.plot import Band, Graph, PlotLine

# A line needs this many points to be one.
_FEWEST = 3
OPERATIONS = {"read": "read", "write": "write", "update": "read-write", "copy": "copy"}
_METHODS = {
    "memcpy": "in one go",
    "block": "in blocks",
    "dumb": "word by word",
    "backwards": "backwards",
}
_FILES = (
    ("memory.map.bandwidth", "sum", "mapped, summed"),
    ("memory.map.bandwidth", "page", "mapped, touched"),
    ("file.read.bandwidth", "sum", "read, summed"),
    ("file.read.bandwidth", "none", "read only"),
)


@dataclass(frozen=True)
class MetricGraph:
    """A graph, and the metrics that are in it."""

    graph: Graph
    metrics: tuple[Metric, ...]


def graphs(metrics: Sequence[Metric], steps: Iterable[CacheStep]) -> Iterator[MetricGraph]:
    """All graphs that `metrics` give, with the `steps` pointed out in that of latency."""
    makers: tuple[Callable[[Sequence[Metric], tuple[Band, ...]], MetricGraph | None], ...] = (
        _latency,
        _bandwidth,
        _copies,
        _switches,
        _file_time,
        _file_bandwidth,
        flash,
    )
    bands = tuple(Band(step.low, step.high, size_span(step.low, step.high)) for step in steps)
    for make in makers:
        drawn = make(metrics, bands)
        if drawn is not None:
            yield drawn


def size_span(low: int, high: int) -> str:
    """Two sizes in words, the unit once where both have the same."""
    first, last = format_size(low), format_size(high)
    number, _, unit = first.partition(" ")
    return (
        f"{number}\N{EN DASH}{last}" if last.endswith(f" {unit}") else f"{first}\N{EN DASH}{last}"
    )


def _drawable(found: Iterable[Curve]) -> list[Curve]:
    """The curves for a logarithmic plane, of their values above 0, where those are enough."""
    above = [
        replace(curve, metrics=tuple((x, metric) for x, metric in curve.metrics if of[x] > 0))
        for curve, of in ((curve, dict(curve.points)) for curve in found)
    ]
    return [curve for curve in above if len(curve.metrics) >= _FEWEST]


def _latency(metrics: Sequence[Metric], bands: tuple[Band, ...]) -> MetricGraph | None:
    found = _drawable(curves(metrics, "memory.latency", "size"))

    def order(curve: Curve) -> tuple[int, int, bool]:
        walk, stride = curve.labels.get("walk", ""), curve.labels.get("stride", "")
        place = {"random": 0, "local": 1}.get(walk, 2)
        number = int(stride) if stride.isdecimal() and place == 2 else 0
        return place, number, curve.labels.get("pages") == "huge"

    lines: list[PlotLine] = []
    looks: dict[str, int] = {}
    found.sort(key=order)
    for curve in found:
        walk, stride = curve.labels.get("walk", ""), curve.labels.get("stride", "")
        kind = "random over all pages" if walk == "random" else walk
        if walk not in ("random", "local") and stride.isdecimal():
            kind = f"stride {format_size(int(stride))}"
        kind += _rest(curve, found, "walk", "stride", "pages")
        huge = curve.labels.get("pages") == "huge"
        lines.append(
            PlotLine(
                label=f"{kind}, huge pages" if huge else kind,
                points=curve.points,
                look=looks.setdefault(kind, len(looks)),
                dashed=huge,
            )
        )
    note = (
        ""
        if not bands
        else (
            " Shaded: where the random walk at its best leaves a plateau, which is where a cache "
            "ends, or the reach of the TLB."
        )
    )
    return _drawn(
        found,
        Graph(
            title="Memory read latency over size",
            caption="The time of a read whose address comes from the read before, in a walk "
            "over this much memory. Local: at random within a few pages, then within others, so "
            f"that the TLB seldom misses.{note}",
            x="size of the memory walked",
            x_bytes=True,
            y="time of a read",
            unit="s",
            lines=tuple(lines),
            bands=bands,
        ),
    )


def _bandwidth(metrics: Sequence[Metric], bands: tuple[Band, ...]) -> MetricGraph | None:
    found = _drawable(curves(metrics, "memory.bandwidth", "size"))
    lines, more = _by_loop(found, "operation", OPERATIONS)
    return _drawn(
        found,
        Graph(
            title="Memory bandwidth over size",
            caption="Every byte is touched; a copy counts each byte once, so that it moves twice "
            "what it shows. Drawn are each operation's fastest loop and, thin and dashed, the "
            "fastest whose stores go past the caches; the other loops are among the figures.",
            x="size of the memory",
            x_bytes=True,
            y="bandwidth",
            unit="B/s",
            lines=lines,
            more=more,
        ),
    )


def _by_loop(
    found: list[Curve], what: str, names: Mapping[str, str]
) -> tuple[tuple[PlotLine, ...], tuple[PlotLine, ...]]:
    """The lines of the fastest loop of each `what`, with one that streams, and all others.

    `names` are what the levels of the label `what` are called, in their order.
    """
    order = [*names]

    def place(curve: Curve) -> tuple[int, bool, float]:
        level = curve.labels.get(what, "")
        at = order.index(level) if level in order else len(order)
        return at, _streams(curve), -max(y for _, y in curve.points)

    found.sort(key=place)
    shown: dict[tuple[str, bool], PlotLine] = {}
    more: list[PlotLine] = []
    looks: dict[str, int] = {}
    for curve in found:
        level, loop = curve.labels.get(what, ""), curve.labels.get("loop", "")
        streams = _streams(curve)
        line = PlotLine(
            label=f"{names.get(level, level)}, {loop}"
            + _rest(curve, found, what, "loop", "counts"),
            points=curve.points,
            look=looks.setdefault(level, len(looks)),
            dashed=streams,
            thin=streams,
        )
        if shown.setdefault((level, streams), line) is not line:
            more.append(line)
    return tuple(shown.values()), tuple(more)


def _streams(curve: Curve) -> bool:
    return curve.labels.get("loop", "").endswith("-stream")


def _copies(metrics: Sequence[Metric], bands: tuple[Band, ...]) -> MetricGraph | None:
    found = _drawable(curves(metrics, "memory.copy.bandwidth", "size"))
    lines, more = _by_loop(found, "method", _METHODS)
    return _drawn(
        found,
        Graph(
            title="Copy bandwidth over size",
            caption="An array copied in one go, in blocks of 256 KiB, and word by word, also from "
            "its end. Each byte counts once. Drawn are each method's fastest loop and, thin and "
            "dashed, the fastest whose stores go past the caches; the others are among the "
            "figures. The loop libc is the memcpy of the probe's C library, not the board's.",
            x="size of the memory copied",
            x_bytes=True,
            y="bandwidth",
            unit="B/s",
            lines=lines,
            more=more,
        ),
    )


def _switches(metrics: Sequence[Metric], bands: tuple[Band, ...]) -> MetricGraph | None:
    found = _drawable(curves(metrics, "ipc.switch", "processes"))

    def size(curve: Curve) -> int:
        text = curve.labels.get("size", "")
        return int(text) if text.isdecimal() else 0

    found.sort(key=size)
    return _drawn(
        found,
        Graph(
            title="Context switch time over the number of processes",
            caption="A token goes round a ring of processes on one core, each of which works "
            "through memory of its own. The time that one process needs for that is taken off.",
            x="processes in the ring",
            x_bytes=False,
            y="time of a switch",
            unit="s",
            lines=tuple(
                PlotLine(
                    f"{format_size(size(curve))} each" + _rest(curve, found, "size"),
                    curve.points,
                    look,
                )
                for look, curve in enumerate(found)
            ),
        ),
    )


def _file_bandwidth(metrics: Sequence[Metric], bands: tuple[Band, ...]) -> MetricGraph | None:
    return _files(metrics, "bandwidth", "B/s", lambda size, rate: rate)


def _file_time(metrics: Sequence[Metric], bands: tuple[Band, ...]) -> MetricGraph | None:
    return _files(metrics, "time", "s", lambda size, rate: size / rate)


def _files(
    metrics: Sequence[Metric], what: str, unit: str, value: Callable[[float, float], float]
) -> MetricGraph | None:
    """Mapped and read files; those whose file is in memory, so that no device is measured."""
    kinds = [
        (look, label, curve)
        for look, (name, touch, label) in enumerate(_FILES)
        for curve in _drawable(curves(metrics, name, "size"))
        if curve.labels.get("touch") == touch
    ]
    found = [curve for _, _, curve in kinds]
    lines = [
        PlotLine(
            label + _rest(curve, [other for _, same, other in kinds if same == label]),
            tuple((size, value(size, rate)) for size, rate in curve.points),
            look,
            dashed=curve.labels["touch"] in ("page", "none"),
        )
        for look, label, curve in kinds
    ]
    return _drawn(
        found,
        Graph(
            title=f"Mapped and read files: {what} over size",
            caption="A file that the kernel holds in memory. Mapped, summed: every byte is used; "
            "mapped, touched: one byte a page. Read, summed: copied out and every byte used; "
            "read only: copied out."
            + (" The time is the size divided by the bandwidth." if unit == "s" else ""),
            x="size of the file",
            x_bytes=True,
            y="time for the whole file" if unit == "s" else "bandwidth",
            unit=unit,
            lines=tuple(lines),
        ),
    )


def flash(metrics: Sequence[Metric], bands: tuple[Band, ...] = ()) -> MetricGraph | None:
    """The read bandwidth of raw flash, a line for each flash and set-up of it."""
    found = _drawable(curves(metrics, "flash.read.bandwidth", "size"))
    return _drawn(
        found,
        Graph(
            title="Flash read bandwidth over block size",
            caption="Raw flash read through MTD, one block after the other. Small blocks are "
            "slower by the cost of a call.",
            x="size of a block",
            x_bytes=True,
            y="bandwidth",
            unit="B/s",
            lines=tuple(
                PlotLine(
                    curve.labels.get("device", "flash") + _rest(curve, found, "device"),
                    curve.points,
                    look,
                )
                for look, curve in enumerate(found)
            ),
        ),
    )


def _rest(curve: Curve, beside: Sequence[Curve], *named: str) -> str:
    """The labels, other than those `named`, by which a line differs from those next to it."""
    return "".join(
        f", {key} {value}"
        for key, value in curve.labels.items()
        if key not in named and any(other.labels.get(key) != value for other in beside)
    )


def _drawn(found: Sequence[Curve], graph: Graph) -> MetricGraph | None:
    if not found:
        return None
    return MetricGraph(graph, tuple(metric for curve in found for _, metric in curve.metrics))
