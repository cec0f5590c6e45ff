# SPDX-License-Identifier: Apache-2.0
"""The marks of the boot that a console's recording ends with, and notes on them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from perfboard.analysis.boot.clocks import BootClock, Zero, first_ns, follow, has_words, zero_of
from perfboard.analysis.boot.reading.firmware import stage_marks
from perfboard.analysis.boot.reading.kernel_log import (
    KernelLine,
    KernelLog,
    instant_of,
    is_of_init,
)
from perfboard.analysis.boot.reading.loaders import Event, loader_marks
from perfboard.analysis.boot.reading.reader import Bare, ConsoleRecording
from perfboard.analysis.boot.reading.records import message
from perfboard.analysis.boot.reading.services import Service, service_of, step_marks
from perfboard.analysis.boot.several import Start, later_starts
from perfboard.model.results.boot import Mark
from perfboard.model.units import format_value

# An adapter to USB may deliver a loader's last words this much later than a record.
_SLACK_NS = 50_000_000


@dataclass(frozen=True)
class Timeline:
    """The marks that a console gives, the loaders' before those of the kernel's log.

    `start` is the start of their boot, if that is not the reset. `records` are the notable ones of
    its kernel, on the clock with that `zero`, or None if none has a time. `notes` say in sentences
    what is not as usual.
    """

    marks: tuple[Mark, ...]
    records: tuple[KernelLine, ...]
    zero: Zero | None
    start: Start | None
    notes: tuple[str, ...]
    services: tuple[tuple[Service, Mark], ...] = ()


@dataclass(frozen=True)
class _OpenSpan:
    """A clock of this boot, with its zero, which is not before `floor_ns`."""

    clock: BootClock
    zero: Zero
    floor_ns: int
    has_words: bool

    @property
    def based(self) -> bool:
        """Whether it counts from something other than the kernel's start."""
        return self.zero.ns + self.zero.precision_ns + _SLACK_NS < self.floor_ns

    @property
    def trust(self) -> tuple[int, bool, int]:
        """The larger, the more it is the kernel's clock rather than another's."""
        live = self.zero.live
        return 2 * live + 2 * self.has_words + (not self.based), live, len(self.clock.places)


class _Notable(NamedTuple):
    """A notable record, the zero of its time, and whether it was shown again."""

    place: int
    line: KernelLine
    zero: Zero
    shown: bool


def timeline_of(
    recording: ConsoleRecording, came: Sequence[int], usable: Mark | None, floor_ns: int = 0
) -> Timeline:
    """The timeline up to `usable`, or without it to the end; `came` is when bytes were read.

    The board was reset at `floor_ns`, or after it.
    """
    log = recording.log
    usable_ns = None if usable is None else max(usable.t_ns, usable.latest_ns or 0)
    events = [e for e in recording.events if usable_ns is None or e.mark.t_ns <= usable_ns]
    clocks = follow(log, [event.mark.t_ns for event in events if event.kind != "kernel"], floor_ns)
    starts = later_starts(log, clocks, events)
    start = starts[-1] if starts else None
    since_ns = start.mark.t_ns if start else 0
    notes = [_restarted(starts)] if starts else []
    events = [event for event in events if event.mark.t_ns >= since_ns]
    running = [
        _running(log, clock, events, came, since_ns if start else floor_ns)
        for clock in clocks
        if first_ns(log, clock) >= since_ns
    ]
    if not running:
        words = [event.mark.t_ns for event in events if event.kind == "kernel"]
        bare = [bare for bare in recording.bare if bare.line.time_ns >= since_ns]
        kernel_ns = min(words, default=None)
        marks = [
            *stage_marks(recording.stages, since_ns, kernel_ns),
            *loader_marks(events, kernel_ns),
            *_bare_marks(bare),
        ]
        services = _services(recording, since_ns, ())
        marks += step_marks(services)
        return Timeline(
            tuple(marks), tuple(b.line for b in bare), None, start, tuple(notes), services
        )
    main = max(running, key=lambda clock: clock.trust)
    kept = list(_notable(log, main, running, since_ns, came[-1]))
    logged = [*_clock_mark(log, main, running), *_instants(kept, recording.next_text, usable)]
    notes += _clock_notes(main, running, log.beyond)
    if log.more:
        notes.append(f"Records of initcalls left out, because there are too many: {log.more}.")
    services = _services(recording, since_ns, kept)
    return Timeline(
        (
            *stage_marks(recording.stages, since_ns, first_ns(log, main.clock)),
            *loader_marks(events, first_ns(log, main.clock)),
            *sorted(logged, key=lambda mark: mark.t_ns),
            *step_marks(services),
        ),
        tuple(
            line
            if zero is main.zero
            else line._replace(time_ns=line.time_ns + zero.ns - main.zero.ns)
            for _, line, zero, _ in kept
        ),
        main.zero,
        start,
        tuple(notes),
        services,
    )


def _services(
    recording: ConsoleRecording, since_ns: int, kept: Sequence[_Notable]
) -> tuple[tuple[Service, Mark], ...]:
    """The lines of service managers, and their records that are not shown again, in order."""
    found = [each for each in recording.services.found if each[1].t_ns >= since_ns]
    for _, line, zero, shown in kept:
        if not shown and (service := service_of(message(line.text))):
            found.append((service, _log_mark("", line.time_ns, zero)))
    return tuple(sorted(found, key=lambda each: each[1].t_ns))


def _running(
    log: KernelLog, clock: BootClock, events: Sequence[Event], came: Sequence[int], since_ns: int
) -> _OpenSpan:
    loaded = [mark.t_ns for mark in loader_marks(events, first_ns(log, clock))]
    floor_ns = since_ns
    if loaded:
        # The words may have come at any time since the reading before.
        before = bisect_left(came, max(loaded)) - 1
        floor_ns = max(floor_ns, came[before] if before >= 0 else 0)
    # Without a reset in the log, its first byte is the best that is known.
    zero = zero_of(log, clock, max(floor_ns, 0))
    return _OpenSpan(clock, zero, floor_ns, has_words(log, clock))


def _counts(clock: _OpenSpan, main: _OpenSpan) -> bool:
    """Whether a clock is the kernel's: the main one, or that before or after a jump."""
    return clock is main or (clock.zero.live and clock.has_words)


def _notable(
    log: KernelLog, main: _OpenSpan, running: Sequence[_OpenSpan], since_ns: int, end_ns: int
) -> Iterator[_Notable]:
    """The notable records of this boot's kernel, those that were shown again last."""
    shown: list[_Notable] = []
    began = False
    for place, line in log.lines.items():
        began = began or log.arrivals[place] >= since_ns
        if not began:
            continue
        clock = main if _has(main.clock, place) else None
        if clock is None:
            clock = next((clock for clock in running if _has(clock.clock, place)), None)
        if clock is None or _counts(clock, main):
            found = _Notable(place, line, (clock or main).zero, shown=False)
        elif not clock.zero.live and not clock.based:
            found = _Notable(place, line, main.zero, shown=True)
        else:
            continue
        if line.time_ns + found.zero.ns > end_ns:
            continue
        if found.shown:
            shown.append(found)
        else:
            yield found
    yield from shown


def _has(clock: BootClock, place: int) -> bool:
    at = bisect_left(clock.places, place)
    return at < len(clock.places) and clock.places[at] == place


def _clock_mark(log: KernelLog, main: _OpenSpan, running: Sequence[_OpenSpan]) -> Iterator[Mark]:
    """`kernel.clock`: the zero of the kernel's clock.

    The clock begins some way into the kernel's start; records before it all say zero, so the log
    does not show the start itself. If the clock counts from another instant, the mark is at the
    first record after the kernel's first words.
    """
    from_start = [clock for clock in running if clock.has_words and not clock.based]
    live = (clock for clock in from_start if _counts(clock, main))
    clock = next(live, from_start[0] if main.based and from_start else main)
    if clock.based and clock.clock.begin is None:
        return
    base_ns = log.times[clock.clock.places[0]] if clock.based else 0
    yield _log_mark("kernel.clock", base_ns, clock.zero)


def _instants(
    kept: Iterable[_Notable], next_text: dict[int, int], usable: Mark | None
) -> list[Mark]:
    """The marks of `instant_of`; a record that was shown again counts if no other has its mark.

    If a kernel does not print that it runs init, it does so between the record that the memory of
    its start is freed and the next text or record of a program.
    """
    found: dict[str, Mark] = {}
    own: set[str] = set()
    bound_ns: int | None = None
    last_ns = None if usable is None else usable.latest_ns
    for place, line, zero, shown in kept:
        name = instant_of(line.text)
        if "kernel.freed" in found and not shown and is_of_init(line.text):
            spoke_ns = line.time_ns + zero.ns
            bound_ns = spoke_ns if bound_ns is None else min(bound_ns, spoke_ns)
        if name is None or (shown and name in own):
            continue
        mark = _log_mark(name, line.time_ns, zero)
        if line.console_ns is not None and mark.t_ns > line.console_ns + _SLACK_NS:
            continue
        if not shown:
            own.add(name)
        if name not in found or name == "init.exec":
            found[name] = mark
            if name == "kernel.freed":
                bound_ns = next_text.get(place, last_ns)
    freed = found.get("kernel.freed")
    if freed is not None and "init.exec" not in found and bound_ns is not None:
        found["init.exec"] = _init_behind(freed, bound_ns)
    return list(found.values())


def _log_mark(name: str, time_ns: int, zero: Zero) -> Mark:
    return Mark(
        name=name,
        t_ns=time_ns + zero.ns,
        source="kernel-log",
        precision_ns=zero.precision_ns,
    )


def _init_behind(freed: Mark, bound_ns: int) -> Mark:
    # It is most likely near the first: a kernel has little left to do then.
    until_ns = max(freed.t_ns, bound_ns)
    bounds = {"from_ns": max(0, freed.earliest_ns), "to_ns": until_ns}
    precision_ns = max(freed.precision_ns, until_ns - freed.t_ns)
    return freed.model_copy(update={"name": "init.exec", "precision_ns": precision_ns, **bounds})


def _bare_marks(bare: Sequence[Bare]) -> list[Mark]:
    """The marks of `instant_of` in a log without times, by when its lines came."""
    found: dict[str, Mark] = {}
    for line, mark, next_ns in bare:
        name = instant_of(line.text)
        if name is not None and (name not in found or name == "init.exec"):
            found[name] = mark.model_copy(update={"name": name})
            if name == "kernel.freed" and next_ns is not None:
                behind = _init_behind(found[name], next_ns)
                found.setdefault("init.exec", behind)
    return list(found.values())


def _restarted(starts: Sequence[Start]) -> str:
    """A note that the boot which counts is not the first."""
    times = ", ".join(format_value(start.mark.t_ns / 1e9, "s") for start in starts)
    return (
        f"The board began again {times} after its reset: {starts[-1].because}. The phases are of "
        "the boot that came to be usable; the phase boot.earlier is all before it."
    )


def _clock_notes(main: _OpenSpan, running: Sequence[_OpenSpan], beyond: int) -> Iterator[str]:
    zero = main.zero
    left_out = beyond + sum(len(c.clock.places) for c in running if not _counts(c, main))
    if left_out:
        yield (
            f"Kernel records left out of the kernel's clock: {left_out}. Their order, or when they "
            "came, speaks against it: a log that was shown again, another clock, or a time that no "
            "clock has."
        )
    for clock in running:
        if clock is not main and _counts(clock, main):
            jump = format_value(abs(main.zero.ns - clock.zero.ns) / 1e9, "s")
            yield f"The kernel's clock jumped, by {jump}: each record counts by the clock it is of."
    if zero.late_ns:
        yield (
            "The kernel did not wait for its console: records were printed up to "
            f"{format_value(zero.late_ns / 1e9, 's')} after they were stored, as by a thread "
            "(nbcon or PREEMPT_RT). The marks are at the records' own times."
        )
    if not zero.live:
        yield (
            "The kernel's log came all at once, so that its times are known to "
            f"±{format_value(zero.precision_ns / 1e9, 's')} only."
        )
