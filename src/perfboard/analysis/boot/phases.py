# SPDX-License-Identifier: Apache-2.0
"""A boot cut into the phases of study E, which add up to the whole.

The cuts are those of the study's section on measuring: 1 bootloader, 2.1
kernel copy and decompression, 2.2 kernel execution, 3.1 mounting the root file
system, 3.2 user space. The study left the wait between the bootloader's main
loop and the boot command out of its sum; here it is a phase of its own.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.analysis.boot.reading.services import REACHED, STEP
from perfboard.model.results.boot import Boot, Mark

# A duration that is known worse than this is an interval.
_TENTH = 10
_INIT_SCRIPT = re.compile(r"exec:S\d\d(.+)")


@dataclass(frozen=True)
class Phase:
    """A phase as defined: its metric name, study E's number, and its two marks."""

    name: str
    number: str
    title: str
    start: str
    end: str


PHASES = (
    Phase("boot.bootloader", "1", "bootloader", "reset", "bootloader.main"),
    Phase("boot.delay", "1-2.1", "boot delay", "bootloader.main", "boot.command"),
    Phase(
        "boot.kernel.load",
        "2.1",
        "kernel copy and decompression",
        "boot.command",
        "kernel.sched_init",
    ),
    Phase(
        "boot.kernel.init",
        "2.2",
        "kernel execution",
        "kernel.sched_init",
        "kernel.prepare_namespace",
    ),
    Phase(
        "boot.root.mount",
        "3.1",
        "mounting root",
        "kernel.prepare_namespace",
        "init.exec",
    ),
    Phase("boot.userspace", "3.2", "user space", "init.exec", "usable"),
)

# A board that began again by itself has an earlier boot: the phases then begin at this mark.
RESTART = "boot.restart"
_EARLIER = Phase("boot.earlier", "", "an earlier boot", "reset", RESTART)

PRINTED = "console.first"
"""A saved log may begin here, at the console's first byte, an unknown time after the reset."""

FIRMWARE_END = "firmware.end"
"""The kernel's entry, or if nothing shows that, its clock, where no bootloader shows its steps."""

_ENTRY, _CLOCK = "kernel.entry", "kernel.clock"
_FIRMWARE = Phase("boot.firmware", "1", "firmware", "reset", FIRMWARE_END)
_KERNEL = Phase("boot.kernel", "2", "kernel", FIRMWARE_END, "init.exec")
_BOOTLOADER = ("bootloader.main", "boot.command", "kernel.sched_init", "kernel.prepare_namespace")

BOUNDS = frozenset(
    (
        *(mark for phase in PHASES for mark in (phase.start, phase.end)),
        *(PRINTED, FIRMWARE_END, _ENTRY, _CLOCK, "kernel.freed", RESTART),
    )
)
"""The marks that phases, and the steps of the kernel's, lie between."""

_WHOLES = (
    Phase("boot.total", "", "reset to usable", "reset", "usable"),
    Phase("boot.printed", "", "first byte to usable", PRINTED, "usable"),
    Phase("boot.logged", "", "kernel's start to usable", FIRMWARE_END, "usable"),
)

TOTALS = tuple(whole.name for whole in _WHOLES)
"""The names that `total` may have."""

_COPY = Phase("boot.kernel.load.copy", "", "copy by the bootloader", "boot.command", "kernel.entry")
# The steps inside the kernel's phases. With the kernel's symbols a phase ends where the last does.
_LOAD_STEPS = (
    _COPY,
    Phase(
        "boot.kernel.load.decompress",
        "",
        "decompression, early set-up",
        "kernel.entry",
        "kernel.sched_init",
    ),
)
# Those of a kernel without symbols, whose phases are one.
_LOG_STEPS = (
    _COPY,
    Phase(
        "boot.kernel.load.decompress",
        "",
        "decompression, early set-up",
        "kernel.entry",
        "kernel.clock",
    ),
    Phase("boot.kernel.log", "", "kernel, once its clock runs", "kernel.clock", "kernel.freed"),
    Phase(
        "boot.kernel.freed",
        "",
        "after its start-up memory is freed",
        "kernel.freed",
        "init.exec",
    ),
)


@dataclass(frozen=True)
class PhaseTime:
    """A phase as measured in one boot.

    `name` is the metric's name without its unit; `depth` is 0 for a phase and 1
    for a step inside one. `precision_ns` is the sum of the marks' precisions. `parts` are the
    phases that it joins.
    """

    name: str
    number: str
    title: str
    start: Mark
    end: Mark
    depth: int = 0
    parts: tuple[Phase, ...] = ()

    @property
    def duration_ns(self) -> int:
        """Nanoseconds from the start mark to the end mark."""
        return self.end.t_ns - self.start.t_ns

    @property
    def instructions(self) -> int | None:
        """Instructions between the marks, or None where a mark has no count."""
        if self.start.instructions is None or self.end.instructions is None:
            return None
        return self.end.instructions - self.start.instructions

    @property
    def precision_ns(self) -> int:
        """How far the duration may be from the truth."""
        return self.start.precision_ns + self.end.precision_ns

    @property
    def between_ns(self) -> tuple[int, int] | None:
        """The shortest and longest that it may be, if it is not known to a tenth of itself.

        None where no mark of it is only bounded: `precision_ns` says how well it is known then.
        """
        if not (self.start.bounded or self.end.bounded):
            return None
        since_ns, until_ns = self.start.latest_ns, self.end.latest_ns
        if since_ns is None or until_ns is None:
            return None
        least_ns = max(0, self.end.earliest_ns - since_ns)
        most_ns = max(least_ns, until_ns - self.start.earliest_ns)
        known = (most_ns - least_ns) * _TENTH <= self.duration_ns
        return None if known else (least_ns, most_ns)


def between_of(boots: Sequence[Sequence[PhaseTime]]) -> tuple[int, int] | None:
    """The least and most ns that the parts of any boot add up to.

    None if each part is known to a tenth of itself.
    """
    if all(part.between_ns is None for parts in boots for part in parts):
        return None
    bounds = [
        [part.between_ns or (part.duration_ns, part.duration_ns) for part in parts]
        for parts in boots
    ]
    return (
        min(sum(least for least, _ in parts) for parts in bounds),
        max(sum(most for _, most in parts) for parts in bounds),
    )


def cut_phases(boot: Boot) -> tuple[PhaseTime, ...]:
    """The phases of a boot in order of time, without gaps.

    If a mark between two phases is missing, they become one phase whose name joins theirs with "+":
    the measured sum is kept, its parts are absent. Phases before the first mark or after the last
    are absent. A mark counts as missing if it lies before the one that it should follow. A boot
    that began again by itself has an earlier boot as its first phase.
    """
    found: list[PhaseTime] = []
    pending: list[Phase] = []
    origin = start = _origin(boot)
    restart = boot.mark(RESTART)
    if origin is not None and restart is not None and origin.t_ns <= restart.t_ns:
        found.append(_joined([_seen(_EARLIER, origin)], origin, restart))
        origin = restart
    first, *others = _phases(boot)
    for phase in (_seen(first, origin), *others):
        if not pending:
            start = origin if phase.start == first.start else boot.mark(phase.start)
        if start is None:
            continue
        pending.append(phase)
        end = reached(boot, phase.end)
        if end is None or end.t_ns < start.t_ns:
            continue
        found.append(_joined(pending, start, end))
        pending = []
    return tuple(found)


def reached(boot: Boot, name: str) -> Mark | None:
    """The boot's mark of that name, if it is known when, or by when, it came."""
    mark = boot.mark(name)
    return None if mark is None or mark.latest_ns is None else mark


def _origin(boot: Boot) -> Mark | None:
    return boot.mark(PHASES[0].start) or boot.mark(PRINTED)


def _seen(phase: Phase, origin: Mark | None) -> Phase:
    """The first phase, which has another name if the log does not have its beginning."""
    if origin is None or origin.name != PRINTED:
        return phase
    return replace(phase, name=f"{phase.name}.printed", title=f"{phase.title}, from its first byte")


def _phases(boot: Boot) -> tuple[Phase, ...]:
    """The phases that may be cut: study E's, or firmware, kernel and user space."""
    if boot.mark(FIRMWARE_END) is None:
        return PHASES
    firmware = _FIRMWARE
    if boot.mark(_ENTRY) is None:
        firmware = replace(firmware, title="firmware, and the kernel until its clock runs")
    return firmware, _KERNEL, PHASES[-1]


def firmware_end(marks: Iterable[Mark]) -> Mark | None:
    """The mark FIRMWARE_END among these of one boot, or None if a bootloader shows its steps."""
    found = {mark.name: mark for mark in marks}
    end = found.get(_ENTRY, found.get(_CLOCK))
    if end is None or any(name in found for name in _BOOTLOADER):
        return None
    return end.model_copy(update={"name": FIRMWARE_END})


def _joined(parts: list[Phase], start: Mark, end: Mark) -> PhaseTime:
    numbers = [part.number for part in parts]
    return PhaseTime(
        name="+".join([parts[0].name, *(part.name.removeprefix("boot.") for part in parts[1:])]),
        number="+".join(numbers),
        title=", ".join(part.title for part in parts),
        start=start,
        end=end,
        parts=tuple(parts),
    )


def phase_names(joined: str) -> list[str]:
    """The metrics of phases that follow each other, of their names joined as in `cut_phases`."""
    first, *others = joined.split("+")
    return [first, *(f"boot.{name}" for name in others)]


def cut_userspace(boot: Boot) -> tuple[PhaseTime, ...]:
    """The steps inside phase 3.2: init itself, then each init script in turn.

    A script is a program whose name has the System V form, S and two digits; its step runs from its
    start to the start of the next. Without scripts, the steps are those that a service manager
    prints: stages of procd and services of OpenRC from their lines on, and up to the lines of
    systemd that a target is reached. Without these there are no steps.
    """
    start, end = boot.mark("init.exec"), reached(boot, "usable")
    if start is None or end is None:
        return ()
    inside = [mark for mark in boot.marks if start.t_ns <= mark.t_ns < end.t_ns]
    cuts = [mark for mark in inside if _INIT_SCRIPT.fullmatch(mark.name)]
    cuts = cuts or [mark for mark in inside if mark.name.startswith((STEP, REACHED))]
    if not cuts:
        return ()
    steps = [
        (_step_title(first, second, start), first, second)
        for first, second in pairwise([start, *cuts, end])
    ]
    return tuple(
        PhaseTime(
            name=f"boot.userspace.{_step_name(title)}",
            number="3.2",
            title="init itself" if title == _INIT else title,
            start=first,
            end=second,
            depth=1,
        )
        for title, first, second in steps
    )


_INIT = "init"


def _step_title(first: Mark, second: Mark, start: Mark) -> str:
    """The name of the step between two marks."""
    if second.name.startswith(REACHED):
        return second.name.removeprefix(REACHED)
    if first.name.startswith(REACHED):
        return f"after {first.name.removeprefix(REACHED)}"
    match = _INIT_SCRIPT.fullmatch(first.name)
    if match is not None:
        return match[1]
    return _INIT if first is start else first.name.removeprefix(STEP)


def _step_name(title: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "-", title)


# The phases that have a step for each program before the main loop.
_FIRST = ("boot.bootloader", "boot.firmware")
# The phases that have the kernel's steps.
_KERNELS = ("boot.kernel.load", _KERNEL.name)


def _cut_kernel(boot: Boot, phase: PhaseTime) -> tuple[PhaseTime, ...]:
    """The steps inside the phase that the kernel is loaded in, each between marks of its own.

    If a mark is missing, so are the steps beside it. All before the kernel's entry, or else before
    its clock, is one step, whose name joins those of its parts.
    """
    steps = _LOAD_STEPS if phase.end.name == _LOAD_STEPS[-1].end else _LOG_STEPS
    found: list[PhaseTime] = []
    before = [*takewhile(lambda part: part.name not in _KERNELS, phase.parts)]
    last_ns = phase.start.t_ns
    for step in steps:
        start, end = boot.mark(step.start), boot.mark(step.end)
        if (
            start is not None
            and end is not None
            and last_ns <= start.t_ns <= end.t_ns <= phase.end.t_ns
        ):
            if not found and start.t_ns != phase.start.t_ns:
                if step.start not in ("kernel.entry", "kernel.clock"):
                    break
                found.append(_inside(before, phase, phase.start, start))
            found.append(_inside([step], phase, start, end))
            last_ns = end.t_ns
        if not found:
            before.append(step)
    return tuple(found)


def _inside(parts: list[Phase], phase: PhaseTime, start: Mark, end: Mark) -> PhaseTime:
    return replace(_joined(parts, start, end), number=phase.number, depth=1)


def _cut_firmware(boot: Boot, phase: PhaseTime) -> tuple[PhaseTime, ...]:
    """The steps before the bootloader's main loop: a program each, until the next one begins.

    The first, from the reset, is the processor's ROM, and whatever the first program does before it
    prints. The last has an end if the phase is no more than the first.
    """
    marks = [
        mark
        for mark in boot.marks
        if mark.name.startswith(STAGE) and phase.start.t_ns <= mark.t_ns < phase.end.t_ns
    ]
    if not marks:
        return ()
    starts = [phase.start, *marks] if phase.start.name == PHASES[0].start else marks
    ends = [*starts[1:], *([phase.end] if len(phase.parts) == 1 else [])]
    group = phase.parts[0].name.removesuffix(".printed")
    return tuple(
        PhaseTime(
            name=f"{group}.{_step_name('ROM' if start is phase.start else _stage(start)).lower()}",
            number="1",
            title=f"until {_stage(end)} speaks" if start is phase.start else _stage(start),
            start=start,
            end=end,
            depth=1,
        )
        for start, end in zip(starts, ends, strict=False)
    )


def _stage(mark: Mark) -> str:
    return mark.name.removeprefix(STAGE)


def cut_boot(boot: Boot) -> tuple[PhaseTime, ...]:
    """All rows of the phase table: the phases, each with its steps below it."""
    rows: list[PhaseTime] = []
    for phase in cut_phases(boot):
        rows.append(phase)
        if phase.parts and phase.parts[0].name.startswith(_FIRST):
            rows.extend(_cut_firmware(boot, phase))
        if phase.start.name == "init.exec":
            rows.extend(cut_userspace(boot))
        elif any(part.name in _KERNELS for part in phase.parts):
            rows.extend(_cut_kernel(boot, phase))
    return tuple(rows)


def total(boot: Boot) -> PhaseTime | None:
    """From reset to usable, or None if a mark is missing.

    If the reset is not in the log, it is from the console's first byte, or else from the kernel's
    start, and has another name.
    """
    end = reached(boot, "usable")
    for whole in _WHOLES:
        start = boot.mark(whole.start)
        if start is not None and end is not None:
            return _joined([whole], start, end)
    return None
