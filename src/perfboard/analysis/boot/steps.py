# SPDX-License-Identifier: Apache-2.0
"""The steps inside the phases of a boot: programs, the kernel's parts, and init scripts."""

import re
from dataclasses import replace
from itertools import pairwise, takewhile

from perfboard.analysis.boot.medium import FOUND
from perfboard.analysis.boot.phase_time import Phase, PhaseTime, joined, reached
from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.analysis.boot.reading.services import REACHED, STEP
from perfboard.model.results.boot import Boot, Mark

_INIT_SCRIPT = re.compile(r"exec:S\d\d(.+)")
# The phases that have a step for each program before the main loop.
_FIRST = ("boot.bootloader", "boot.firmware")
# The phases that have the kernel's steps.
_KERNELS = ("boot.kernel.load", "boot.kernel")
_COPY = Phase("boot.kernel.load.copy", "", "copy by the bootloader", "boot.command", "kernel.entry")
_FOUND = Phase("boot.kernel.load.medium", "", "until the medium is there", "boot.command", FOUND)
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


def cut_steps(boot: Boot, phase: PhaseTime) -> tuple[PhaseTime, ...]:
    """The steps inside the phase, in order of time; none: its marks tell of none."""
    found: tuple[PhaseTime, ...] = ()
    if phase.parts and phase.parts[0].name.startswith(_FIRST):
        found = _cut_firmware(boot, phase)
    if phase.start.name == "init.exec":
        return found + cut_userspace(boot)
    if any(part.name in _KERNELS for part in phase.parts):
        return found + _cut_kernel(boot, phase)
    return found


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


def _cut_kernel(boot: Boot, phase: PhaseTime) -> tuple[PhaseTime, ...]:
    """The steps inside the phase that the kernel is loaded in, each between marks of its own.

    If a mark is missing, so are the steps next to it. All before the kernel's entry, or else before
    its clock, is one step, whose name joins those of its parts.
    """
    steps = _LOAD_STEPS if phase.end.name == _LOAD_STEPS[-1].end else _LOG_STEPS
    if boot.mark(FOUND) is not None:
        steps = (_FOUND, replace(_COPY, start=FOUND), *steps[1:])
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
    return replace(joined(parts, start, end), number=phase.number, depth=1)


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
    starts = [phase.start, *marks] if phase.start.name == "reset" else marks
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
