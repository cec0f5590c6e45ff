# SPDX-License-Identifier: Apache-2.0
"""One boot as several sources saw it: from their boots to one on a joined timeline."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from perfboard.analysis.boot.phases import FIRMWARE_END, PHASES, cut_phases, firmware_end
from perfboard.analysis.timeline.source import SourceMarks
from perfboard.model.results.boot import Boot, Mark, Span, Wait
from perfboard.model.results.timeline import Fit, Sighting, TimelineResult
from perfboard.model.units import format_value

_KERNEL = "kernel.clock"
_LOG = "kernel-log"
# printk and the kernel's traces have microseconds.
_KERNEL_NS = 1000
# The rate of a clock while a time server slews it, and of a crystal.
_BOUND_PPM = {"host": 500.0}
_CRYSTAL_PPM = 100.0
KNOWN_MARKS = (
    *("reset", "bootloader.main", "boot.command", "kernel.entry", "kernel.sched_init"),
    *("kernel.prepare_namespace", "init.exec", "usable"),
)


def clocks_of(name: str, boot: Boot) -> tuple[SourceMarks, ...]:
    """The clocks in one file: the host's stamps, and the kernel's times in the stamped text.

    The marks of a kernel's log are right to a microsecond among each other; how they lie on the
    host's clock is known from one instant of them alone, with the precision of that.
    """
    clock = next((mark.clock for mark in boot.marks), "host")
    marks = [mark for mark in boot.marks if mark.name != FIRMWARE_END]
    logged = [mark for mark in marks if mark.source == _LOG]
    bound = _BOUND_PPM.get(clock, _CRYSTAL_PPM)
    if clock != "host" or len(logged) < 2:
        return (SourceMarks(name, tuple(map(_sighting, marks)), bound),)
    pivot = boot.mark(_KERNEL) or logged[0]
    own = [mark for mark in marks if mark.source != _LOG]
    kernel = [
        Sighting(
            name=mark.name,
            t_ns=mark.t_ns - pivot.t_ns,
            precision_ns=max(_KERNEL_NS, mark.precision_ns - pivot.precision_ns),
        )
        for mark in logged
    ]
    return (
        SourceMarks(name, tuple(map(_sighting, (*own, pivot))), bound),
        SourceMarks(f"{name} (kernel)", tuple(kernel), _CRYSTAL_PPM),
    )


def _sighting(mark: Mark) -> Sighting:
    return Sighting(name=mark.name, t_ns=mark.t_ns, precision_ns=mark.precision_ns)


def out_of_order(boot: Boot) -> str:
    """Two marks that cannot have come in their order, in words; "" if there are none."""
    known = [mark for name in KNOWN_MARKS if (mark := boot.mark(name))]
    for before, after in pairwise(known):
        if after.t_ns + after.precision_ns < before.t_ns - before.precision_ns:
            early = format_value((before.t_ns - after.t_ns) / 1e9, "s")
            return f"{after.name} comes {early} before {before.name}, which no boot does"
    return ""


def joined_boot(timeline: TimelineResult, boots: Mapping[str, Boot]) -> Boot:
    """The boot on the timeline, from `reset`, or else the first mark, on.

    `boots` are those of the files, by the names of their clocks. The precision of each mark is its
    95% error. A mark of before the reset is left out.
    """
    zero_ns = zero_of(timeline)
    sources = {
        (name, mark.name): mark for name, boot in boots.items() for mark in reversed(boot.marks)
    }
    marks = []
    for joined in timeline.marks:
        if joined.t_ns < zero_ns:
            continue
        names = (clock.removesuffix(" (kernel)") for clock in joined.clocks)
        seen = min(
            (sources[name, joined.name] for name in names),
            key=lambda mark: mark.precision_ns,
        )
        marks.append(
            seen.model_copy(update={"t_ns": joined.t_ns - zero_ns, "precision_ns": joined.error_ns})
        )
    if end := firmware_end(marks):
        marks.append(end)
    marks.sort(key=lambda mark: mark.t_ns)
    fits = {clock.name: clock.fit for clock in timeline.clocks}
    printed: Mapping[str, int] = max((boot.printed for boot in boots.values()), key=len, default={})
    if printed:
        # The reset is another source's, and nothing was printed before it.
        printed = {PHASES[0].start: 0, **printed}
    found = Boot(
        marks=tuple(marks),
        spans=tuple(_spans(boots, fits, zero_ns)),
        untimed=tuple(name for boot in boots.values() for name in boot.untimed),
        unfinished=tuple(name for boot in boots.values() for name in boot.unfinished),
        notes=tuple(note for boot in boots.values() for note in boot.notes),
        waits=tuple(_waits(boots, fits, zero_ns)),
        printed=printed,
        unpacked_bytes=next((b.unpacked_bytes for b in boots.values() if b.unpacked_bytes), None),
        console_baud=next((b.console_baud for b in boots.values() if b.console_baud), None),
    )
    order = out_of_order(found)
    wrong = (f"{order}: is a channel another's, or a mark named wrongly?",) if order else ()
    return found.model_copy(update={"notes": (*found.notes, *wrong, *_too_short(found))})


def zero_of(timeline: TimelineResult) -> int:
    """The time on the reference's clock from which the boot's marks count."""
    reset = next((mark for mark in timeline.marks if mark.name == PHASES[0].start), None)
    return (reset or timeline.marks[0]).t_ns


def on_clock(fit: Fit, t_ns: float) -> tuple[float, float]:
    """A time of the reference's on another clock, and its error there, both in ns."""
    since_ns = t_ns - fit.at_ns
    error_ns = fit.error_ns + abs(since_ns) * fit.drift_error_ppm / 1e6
    return fit.pivot_ns + since_ns / (1 - fit.drift_ppm / 1e6), error_ns


def on_reference(fit: Fit, t_ns: int) -> int:
    """A time of a clock on the reference's."""
    since_ns = t_ns - fit.pivot_ns
    return fit.at_ns + since_ns - round(since_ns * fit.drift_ppm / 1e6)


def _spans(
    boots: Mapping[str, Boot], fits: Mapping[str, Fit | None], zero_ns: int
) -> Iterator[Span]:
    """The spans of each source that is joined; one that two logs have counts once."""
    known: set[tuple[str, str]] = set()
    for name, boot in boots.items():
        fit = fits.get(name)
        if fit is None:
            continue
        for span in boot.spans:
            if (span.kind, span.name) in known:
                continue
            start_ns = span.start_ns
            if start_ns is not None:
                start_ns = on_reference(fit, start_ns) - zero_ns
            yield span.model_copy(update={"start_ns": start_ns})
        known |= {(span.kind, span.name) for span in boot.spans}


def _waits(
    boots: Mapping[str, Boot], fits: Mapping[str, Fit | None], zero_ns: int
) -> Iterator[Wait]:
    """The waits of the first source that is joined and tells of any: another may repeat them."""
    for name, boot in boots.items():
        fit = fits.get(name)
        if fit is not None and boot.waits:
            for wait in boot.waits:
                start_ns = on_reference(fit, wait.start_ns) - zero_ns
                yield wait.model_copy(update={"start_ns": start_ns})
            return


def _too_short(boot: Boot) -> Iterator[str]:
    for phase in cut_phases(boot):
        if phase.duration_ns < phase.precision_ns:
            took, error = (
                format_value(ns / 1e9, "s") for ns in (phase.duration_ns, phase.precision_ns)
            )
            yield f"The phase {phase.title}, {took}, is smaller than its error, {error}."
