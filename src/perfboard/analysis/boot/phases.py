# SPDX-License-Identifier: Apache-2.0
"""A boot cut into the phases of the boot study of 2009, which add up to the whole.

The cuts are those of the study's section on measuring: 1 bootloader, 2.1
kernel copy and decompression, 2.2 kernel execution, 3.1 mounting the root file
system, 3.2 user space. The study left the wait between the bootloader's main
loop and the boot command out of its sum; here it is a phase of its own.
"""

from collections.abc import Iterable
from dataclasses import replace

from perfboard.analysis.boot.phase_time import Phase, PhaseTime, joined, reached
from perfboard.analysis.boot.steps import cut_steps
from perfboard.model.results.boot import Boot, Mark

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
        found.append(joined([_seen(_EARLIER, origin)], origin, restart))
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
        found.append(joined(pending, start, end))
        pending = []
    return tuple(found)


def _origin(boot: Boot) -> Mark | None:
    return boot.mark(PHASES[0].start) or boot.mark(PRINTED)


def _seen(phase: Phase, origin: Mark | None) -> Phase:
    """The first phase, which has another name if the log does not have its beginning."""
    if origin is None or origin.name != PRINTED:
        return phase
    return replace(phase, name=f"{phase.name}.printed", title=f"{phase.title}, from its first byte")


def _phases(boot: Boot) -> tuple[Phase, ...]:
    """The phases that may be cut: the boot study's, or firmware, kernel and user space."""
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


def cut_boot(boot: Boot) -> tuple[PhaseTime, ...]:
    """All rows of the phase table: the phases, each with its steps below it."""
    return tuple(row for phase in cut_phases(boot) for row in (phase, *cut_steps(boot, phase)))


def total(boot: Boot) -> PhaseTime | None:
    """From reset to usable, or None if a mark is missing.

    If the reset is not in the log, it is from the console's first byte, or else from the kernel's
    start, and has another name.
    """
    end = reached(boot, "usable")
    for whole in _WHOLES:
        start = boot.mark(whole.start)
        if start is not None and end is not None:
            return joined([whole], start, end)
    return None
