# SPDX-License-Identifier: Apache-2.0
"""A part's parameters in the board file, and those that probes see on the virtual board."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from perfboard.model.run import Metric
from perfboard.model.timing.duration import Duration
from perfboard.model.timing.part import Timing

# The probes that the parameters are seen by.
PROBES = ("cpu.clock", "memory.bandwidth", "memory.latency", "memory.random")
TOLERANCE = 0.03
_PAGE = 4096
_SECOND = 1e15
# In the first cache of every part, and the smallest that all of these probes have.
_SMALL = 4096
# The size as which uncached stores go out: native/scope/memory/memory.h, MEMORY_WORD.
_WORD = 4


@dataclass(frozen=True)
class PartParameter:
    """A parameter: its value by the board file, and the one that a probe saw, None without."""

    name: str
    unit: str
    value: float
    seen: float | None

    @property
    def within(self) -> bool | None:
        """Whether the probe saw it, to 3 %; None where it saw nothing."""
        if self.seen is None:
            return None
        return abs(self.seen - self.value) <= TOLERANCE * abs(self.value)


def parameters(timing: Timing, metrics: Sequence[Metric]) -> list[PartParameter]:
    """The frequency, the plateaus of latency, and the bandwidths.

    A plateau is the time of a random read in an array of that size, less one in the smallest: by
    the share of the array that each cache and TLB does not hold. The bandwidths are of the largest
    array, by the loop that is the fastest there without preloads. They are a line's time when every
    access hits plus the fill's, or the stream's or the writes' own time if that is longer. If
    stores go out one by one, it is their time.
    """
    model, seen = _Model(timing), _PartFigures(metrics)
    found = [
        PartParameter("clock", "1/s", timing.clock.hz, seen.median("cpu.clock")),
        PartParameter(
            "latency of the first cache",
            "s",
            model.load,
            seen.median("memory.latency", walk="random", size=str(_SMALL)),
        ),
    ]
    random = seen.sizes("memory.random")
    least = random.pop(_SMALL, None)
    l2 = timing.caches.l2
    sizes = {"latency of the second cache": l2.size // (2 if l2.ways > 1 else 8)} if l2 else {}
    if l2 and l2.ways == 1:
        # If a cache has one place for a line, pages that happen to share it evict each other: in an
        # eighth of its size few do, and in some process none.
        best = seen.sizes("memory.random", min)
        random |= {size: best[size] for size in sizes.values() if size in best}
    if random:
        sizes["latency of memory"] = max(random)
    for name, size in sizes.items():
        beyond = random[size] - least if size in random and least is not None else None
        found.append(PartParameter(name, "s", model.beyond(size), beyond))
    return [*found, *_bandwidths(model, seen)]


def _bandwidths(model: "_Model", seen: "_PartFigures") -> Iterator[PartParameter]:
    for operation, line_time in (("read", model.line_read), ("write", model.line_written)):
        alone = model.words_written if operation == "write" else None
        size, loop, rate = seen.fastest(operation, alone is None)
        if size <= model.largest_cache:
            continue
        value = alone
        if value is None:
            # Without hits there is no such loop.
            hits = seen.hits(operation, loop) or 0.0
            seconds = line_time(model.line / hits, size)
            value = None if seconds is None else model.line / seconds
        if value is not None:
            yield PartParameter(f"{operation} bandwidth of memory", "B/s", value, rate)


class _PartFigures:
    """The medians of metrics, by their labels."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = [metric for metric in metrics if metric.samples]

    def median(self, name: str, **labels: str) -> float | None:
        for metric in self._metrics:
            if metric.name == name and labels.items() <= metric.labels.items():
                return statistics.median(metric.samples)
        return None

    def sizes(
        self, name: str, of: Callable[[Sequence[float]], float] = statistics.median
    ) -> dict[int, float]:
        return {
            int(metric.labels["size"]): of(metric.samples)
            for metric in self._metrics
            if metric.name == name
        }

    def hits(self, operation: str, loop: str) -> float | None:
        """The rate of a loop where every access hits."""
        return self.median("memory.bandwidth", operation=operation, loop=loop, size=str(_SMALL))

    def fastest(self, operation: str, hits: bool) -> tuple[int, str, float]:
        """The largest size, the loop that is the fastest there without preloads, its rate.

        With `hits`, of those that were measured in the first cache too.
        """
        found = [
            (int(m.labels["size"]), statistics.median(m.samples), m.labels["loop"])
            for m in self._metrics
            if m.name == "memory.bandwidth"
            and m.labels["operation"] == operation
            and not m.labels["loop"].endswith("-preload")
            and (not hits or self.hits(operation, m.labels["loop"]))
        ]
        size, rate, loop = max(found, default=(0, 0.0, ""))
        return size, loop, rate


class _Model:
    """The parameters, in seconds."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        cycles = {name: cost for costs in timing.costs for name, cost in costs.cycles.items()}
        # The address of each load is the result of the load before.
        self.load = (cycles["load"][1] + timing.core.early) / timing.clock.hz
        caches = timing.caches
        self.line = (caches.l2 or caches.data).line
        self.largest_cache = (caches.l2 or caches.data).size

        word = timing.memory.word
        self.words_written = None if word is None else _WORD / self.seconds(word)

    def seconds(self, time: Duration) -> float:
        return time.femtoseconds(self._timing.clock.hz) / _SECOND

    def walk(self, size: int) -> float:
        """The time that the page walk adds to a random read."""
        tlbs = self._timing.tlbs
        added = _beyond(tlbs.d.entries * _PAGE, size) * self.seconds(tlbs.d.miss)
        if tlbs.second:
            pages = tlbs.second.entries * _PAGE
            added += _beyond(pages, size) * self.seconds(tlbs.second.miss)
        return added

    def beyond(self, size: int) -> float:
        """The time of a random read beyond that of one in the first cache."""
        caches, latency = self._timing.caches, self.seconds(self._timing.memory.latency)
        first = _beyond(caches.data.size, size)
        if caches.l2 is None:
            return first * latency + self.walk(size)
        past = _beyond(caches.l2.size, size)
        return (first - past) * self.seconds(caches.l2.hit) + past * latency + self.walk(size)

    def line_read(self, hits: float, size: int) -> float:
        """A line of those read in a row; `hits` is what the loop takes for one in the cache."""
        memory, misses = self._timing.memory, self._timing.core.misses
        own = hits + self.walk(size) * self.line / _PAGE
        if memory.streams:
            return max(own, self.seconds(memory.stream))
        latency = self.seconds(memory.latency)
        if memory.together is None:
            return own + latency
        return own + (latency + (misses - 1) * self.seconds(memory.together)) / misses

    def line_written(self, hits: float, size: int) -> float | None:
        """A line of those written in a row; None where each is read first."""
        l1d = self._timing.caches.data
        if l1d.allocate == "both" and not l1d.filling:
            return None
        own = hits + self.walk(size) * self.line / _PAGE
        return max(own, self.seconds(self._timing.memory.write))


def _beyond(held: int, size: int) -> float:
    """The share of places drawn in `size` that is not among the `held` bytes."""
    return max(0.0, 1 - held / size)
