# SPDX-License-Identifier: Apache-2.0
"""The clocks of a console's kernel records, and the zero of each.

The kernel stamps a record when it stores it and prints it afterwards, never before. So the time
at which a record came, less its own time, is the clock's zero plus that record's delay. Records
follow one clock if neither their order nor their arrival speaks against it. A log that is shown
again, another kernel, and a program that stamps its lines have clocks of their own.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median_low

from perfboard.analysis.boot.reading.kernel_log import (
    CONSOLE_ENABLED,
    KernelLog,
    instant_of,
    is_first,
)

# Several processors store their records almost in the order of their times: off by this at most.
_BACK_NS = 100_000_000
# A record may be this far ahead of the records that agree, and wait this long for its console.
_AHEAD_NS = 100_000_000
_WAITS_NS = 3_000_000_000
# The zeros of records that agree differ by less; and the records are this far apart.
_CLOSE_NS = 20_000_000
_APART_NS = 50_000_000
_AGREE = 3
# A line that is quiet for this long has nothing left to print; adapters to USB wait up to 16 ms.
_QUIET_NS = 25_000_000
# A record that comes this late has waited for more than an adapter to USB.
LATE_NS = 30_000_000
# A kernel prints its first words within this time.
_TOGETHER_NS = 1_000_000_000
# printk stores nanoseconds and prints microseconds.
_RESOLUTION_NS = 1000
_SAMPLE = 100_000
_MOST_CLOCKS = 200
_SEARCHED = 16


@dataclass
class BootClock:
    """Records that follow one clock, by their places in the log.

    `begin` is the place of a kernel's first words before them, if any. `agreed_ns` is the zero on
    which records agree that found the line quiet.
    """

    begin: int | None
    places: "array[int]" = field(default_factory=lambda: array("q"))
    last_ns: int = 0
    agreed_ns: int | None = None
    # The last words of a loader before it, or the reset.
    floor_ns: int = 0
    # Whether its zero lies before: it counts from something other than the kernel's start.
    based: bool = False
    # Records of one clock may disagree by this, because their stamps are coarse.
    resolution_ns: int = 0
    _recent: list[tuple[int, int]] = field(default_factory=list)

    def add(self, place: int, log: KernelLog) -> None:
        """The next record of this clock."""
        time_ns = log.times[place]
        if not self.places:
            self.based = self._is_before(log.arrivals[place] - time_ns)
        self.places.append(place)
        self.last_ns = max(self.last_ns, time_ns)
        if log.quiet[place] < _QUIET_NS:
            return
        self._recent = [*self._recent[-_AGREE + 1 :], (time_ns, log.arrivals[place] - time_ns)]
        zeros = [zero for _, zero in self._recent]
        if (
            len(zeros) == _AGREE
            and max(zeros) - min(zeros) <= _CLOSE_NS + self.resolution_ns
            and time_ns - self._recent[0][0] >= _APART_NS
            and (
                self.agreed_ns is None
                or min(zeros) <= self.agreed_ns + _CLOSE_NS + self.resolution_ns
            )
        ):
            self.agreed_ns = min(zeros)

    def takes(self, time_ns: int, zero_ns: int) -> bool:
        """Whether a record of that time, from which that zero follows, may come next."""
        if time_ns < self.last_ns - _BACK_NS or self._is_before(zero_ns) is not self.based:
            return False
        return (
            self.agreed_ns is None
            or self.agreed_ns - _AHEAD_NS - self.resolution_ns
            <= zero_ns
            <= self.agreed_ns + _WAITS_NS
        )

    def agrees(self, time_ns: int, zero_ns: int) -> bool:
        """Whether it comes at its time on this clock."""
        return (
            self.agreed_ns is not None
            and abs(zero_ns - self.agreed_ns) <= _AHEAD_NS + self.resolution_ns
            and time_ns >= self.last_ns - _BACK_NS
        )

    def _is_before(self, zero_ns: int) -> bool:
        return zero_ns < self.floor_ns - _BACK_NS - self.resolution_ns


def follow(log: KernelLog, breaks: Sequence[int], floor_ns: int = 0) -> list[BootClock]:
    """The clocks of a log, in the order of their first records.

    `breaks` are the times, in order, of a loader's words: a kernel's log does not go on after
    them. No kernel's clock began before `floor_ns`. Records of time zero were stored before their
    clock ran, and have none.
    """
    clocks: list[BootClock] = []
    current: BootClock | None = None
    begin: int | None = None
    apart = False
    first = {place for place, line in log.lines.items() if is_first(line.text)}
    coming = iter([*breaks, 2**63])
    next_break = next(coming)
    for place, (time_ns, arrival_ns) in enumerate(zip(log.times, log.arrivals, strict=True)):
        if place in first and not (
            current is not None
            and current.begin is not None
            and len(current.places) <= _AGREE
            and current.takes(time_ns, arrival_ns - time_ns)
        ):
            begin, apart = _begin(log, begin, place), True
        while next_break <= arrival_ns:
            floor_ns, next_break, apart = next_break, next(coming), True
            begin = begin if begin == place else None
        if arrival_ns < 0 or time_ns == 0:
            continue
        clock = _clock_of(log, place, clocks, current, apart=apart)
        if clock is None:
            clock = BootClock(begin, floor_ns=floor_ns, resolution_ns=log.resolution_ns)
            if len(clocks) < _MOST_CLOCKS:
                clocks.append(clock)
        clock.add(place, log)
        current, begin, apart = clock, None, False
    return clocks


def _begin(log: KernelLog, begin: int | None, place: int) -> int:
    """A kernel's first words: those at `place`, or those at `begin` that they go on with."""
    if begin is None or log.arrivals[place] - log.arrivals[begin] > _TOGETHER_NS:
        return place
    return begin


def _clock_of(
    log: KernelLog, place: int, clocks: list[BootClock], current: BootClock | None, *, apart: bool
) -> BootClock | None:
    """The clock of the record at that place; None for one of its own."""
    time_ns, zero_ns = log.times[place], log.arrivals[place] - log.times[place]
    goes_on = not apart and current is not None and current.takes(time_ns, zero_ns)
    if goes_on and log.quiet[place] < _QUIET_NS:
        return current
    others = [*clocks[:1], *clocks[1:][-_SEARCHED:]]
    agreeing = [clock for clock in others if clock.agrees(time_ns, zero_ns)]
    if agreeing:
        return min(agreeing, key=lambda clock: abs(zero_ns - (clock.agreed_ns or 0)))
    if apart or goes_on:
        return current if goes_on else None
    taking = [clock for clock in others if clock.takes(time_ns, zero_ns)]
    return max(taking, key=lambda clock: len(clock.places), default=None)


def first_ns(log: KernelLog, clock: BootClock) -> int:
    """The arrival of the kernel's first words before the clock's records, or of the first one."""
    begin = clock.begin
    place = clock.places[0] if begin is None or log.arrivals[begin] < 0 else begin
    return log.arrivals[place]


def has_words(log: KernelLog, clock: BootClock) -> bool:
    """Whether its records are a kernel's by their words, not a program's or another processor's."""
    return clock.begin is not None or any(
        instant_of(line.text) or CONSOLE_ENABLED.search(line.text)
        for place in clock.places
        if (line := log.lines.get(place))
    )


@dataclass(frozen=True)
class Zero:
    """A clock's zero on the clock of the console's stamps, and how far it may be wrong.

    A clock is `live` if its records came one by one, not all at once. `late_ns` is the longest
    wait of a record if the kernel did not wait for its console, or 0.
    """

    ns: int
    precision_ns: int
    live: bool
    late_ns: int = 0


def zero_of(log: KernelLog, clock: BootClock, floor_ns: int) -> Zero:
    """The zero of a clock, which is not before `floor_ns`.

    The least of the records' zeros is the clock's plus the least delay. Its precision is the delay
    of a usual record, the median less the least, plus the microsecond to which the kernel rounds
    its times down.

    Records up to "console [...] enabled" are left out: they wait for the console's driver and
    come out late, all at once. If none came later, that record was stored when the first of them
    came.

    If a thread prints (a driver with nbcon, or PREEMPT_RT), records wait while their stamps run
    ahead: a record was stored before the one before it was printed. Its usual delay is then that of
    records that found the line quiet. If nothing shows how late the earliest record was, it may
    have been stored at any time since `floor_ns`.
    """
    enabled = max(
        (
            place
            for place in clock.places
            if (line := log.lines.get(place))
            and "] enabled" in line.text
            and CONSOLE_ENABLED.search(line.text)
        ),
        default=-1,
    )
    places = clock.places[bisect_right(clock.places, enabled) :]
    live = _is_live(log, places)
    if not live:
        live = _is_live(log, clock.places)
        if not live and not places:
            return _last_of_store(log, clock)
        places = clock.places
    least = min(_zeros(log, places))
    usual = median_low(_zeros(log, _sample(places))) - least
    rounded_ns = _RESOLUTION_NS + log.resolution_ns
    if not live:
        return Zero(least, max(usual, least - floor_ns) + rounded_ns, live=False)
    if not _is_late(log, places, least):
        return Zero(least, usual + rounded_ns, live=True)
    heads = [place for place in _sample(places) if log.quiet[place] >= _QUIET_NS]
    usual = least - floor_ns
    if len(heads) >= _AGREE:
        usual = min(usual, max(median_low(_zeros(log, heads)) - least, 0))
    late_ns = max(_zeros(log, places)) - least
    return Zero(least, max(usual, 0) + rounded_ns, live=True, late_ns=late_ns)


def _zeros(log: KernelLog, places: Iterable[int]) -> Iterator[int]:
    return (log.arrivals[place] - log.times[place] for place in places)


def _sample(places: "array[int]") -> "array[int]":
    """As many of the places as are enough for a median, evenly spread: all of any usual log's."""
    return places[:: len(places) // _SAMPLE + 1]


def _last_of_store(log: KernelLog, clock: BootClock) -> Zero:
    """The zero by the record that says that the console is enabled, the last that came."""
    # Records of time zero were stored first.
    begin, last = clock.places[0] if clock.begin is None else clock.begin, clock.places[-1]
    *before, first = (place for place in range(begin, last + 1) if log.arrivals[place] >= 0)
    while before and log.quiet[first] < _QUIET_NS:
        first = before.pop()
    late_ns = log.arrivals[last] - log.arrivals[first]
    zero_ns = log.arrivals[first] - log.times[last]
    return Zero(zero_ns, late_ns + _RESOLUTION_NS + log.resolution_ns, live=False)


def _is_live(log: KernelLog, places: "array[int]") -> bool:
    """Whether records came as their clock ran: not from a store, one after the other.

    Either nearly all of them came about as late, or two that found the line quiet did.
    """
    places = _sample(places)
    zeros = sorted(_zeros(log, places))
    if len(zeros) > _AGREE:
        ran_ns = log.times[places[-1]] - log.times[places[0]]
        if (zeros[len(zeros) * 4 // 5] - zeros[0] - log.resolution_ns) * 10 <= ran_ns:
            return True
    heads = sorted(
        (log.arrivals[place] - log.times[place], log.times[place])
        for place in places
        if log.quiet[place] >= _QUIET_NS
    )
    return any(
        zero - other <= max(_CLOSE_NS, abs(time_ns - other_time_ns) // 10) + log.resolution_ns
        and abs(time_ns - other_time_ns) >= _APART_NS
        for (other, other_time_ns), (zero, time_ns) in pairwise(heads)
    )


def _is_late(log: KernelLog, places: Sequence[int], zero_ns: int) -> bool:
    """Whether records had been stored before the ones before them were printed, and often."""
    waited = sum(
        log.quiet[place] < _QUIET_NS
        and log.times[place] + zero_ns + LATE_NS + log.resolution_ns < log.arrivals[before]
        for before, place in pairwise(places)
    )
    return waited >= _AGREE and waited * 5 >= len(places)
