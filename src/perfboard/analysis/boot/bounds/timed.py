# SPDX-License-Identifier: Apache-2.0
"""The bounds of a timed boot, by the counters of its timing model between two marks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from perfboard.analysis.boot.bounds.parts import limits_of, printed_between, shown_boot
from perfboard.analysis.boot.cores import CoreWork, worked_s
from perfboard.analysis.boot.limit import byte_s
from perfboard.analysis.boot.medium import FOUND
from perfboard.analysis.boot.phases import PHASES
from perfboard.model.board.disk import Disk
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.results.limits import LimitPart, LimitsResult
from perfboard.model.timing.part import Timing
from perfboard.model.units import format_value

_FS = 1e15
_KERNEL, _MOUNT, _USER = "boot.kernel.init", "boot.root.mount", "boot.userspace"
# The mark that a stretch ends with, its metric and its words. The bootloader's own marks are lines,
# at which nothing is counted, so that its phases are one stretch.
_STRETCHES = {
    "kernel.entry": (
        "boot.bootloader+delay+kernel.load.copy",
        "bootloader",
    ),
    "kernel.sched_init": ("boot.kernel.load.decompress", "decompression, early set-up"),
    "kernel.prepare_namespace": (_KERNEL, "kernel execution"),
    "init.exec": (_MOUNT, "mounting root"),
    "usable": (_USER, "user space"),
}


@dataclass(frozen=True)
class TimedBoard:
    """A timed board, as its bounds are found: its model at the levels of the boot, and more.

    `card` is the medium of kernel and root, if that is no flash. `levels` are those of all factors.
    `faster` is the model at other levels of its own factors, by
    their words as in "--set flash=cached". The sizes are the kernel's, compressed and not, in
    bytes, or None; `compressed` says whether it unpacks itself.
    """

    timing: Timing
    card: Disk | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    faster: Mapping[str, Timing] = field(default_factory=dict)
    baud: int | None = None
    kernel_bytes: int | None = None
    unpacked_bytes: int | None = None


def timed_limits(boots: Sequence[Boot], board: TimedBoard) -> LimitsResult | None:
    """The limits of the boot with the median total; None if its counters are not there."""
    shown = shown_boot(boots)
    if shown is None:
        return None
    number, boot = shown
    ends = [mark for name in _STRETCHES if (mark := boot.mark(name)) and name in boot.counted]
    start = boot.mark(PHASES[0].start)
    if start is None or not ends:
        return None
    parts: list[LimitPart] = []
    for begin, end in pairwise([start, *ends]):
        if begin.t_ns <= end.t_ns:
            parts += _parts(boot, board, begin, end)
    if board.card is not None and board.levels.get("root") != "initramfs":
        parts = [_from_card(part, parts, board, board.card) for part in parts]
    return limits_of(number, boot, parts)


def _from_card(
    part: LimitPart, parts: Sequence[LimitPart], board: TimedBoard, card: Disk
) -> LimitPart:
    """The part, if it is a wait for the card that the root lies on.

    Before the root is mounted, Linux waits until the card is there. Its driver could start at once,
    so that what else the kernel does counts to that time.
    """
    if part.cause != "idle":
        return part
    if part.phase == _USER:
        in_turn = (board.levels.get("readahead"), board.levels.get("init")) == ("none", "sequence")
        why = f"{part.why}; a medium may read while it works"
        advice = "--set readahead=boot" if in_turn else ""
        return part.model_copy(update={"why": why, "advice": advice})
    if part.phase != _MOUNT or card.ready is None:
        return part
    ready_s = card.ready.after_ms / 1000
    meanwhile_s = sum(each.bound_s for each in parts if each.phase == _KERNEL)
    bound_s = min(part.seconds, max(0.0, ready_s - meanwhile_s))
    why = f"the medium is there {format_value(ready_s, 's')} after its driver starts, which could "
    why += "be the kernel's first"
    return part.model_copy(update={"bound_s": bound_s, "why": why})


def _parts(boot: Boot, board: TimedBoard, begin: Mark, end: Mark) -> Iterator[LimitPart]:
    """The parts of a stretch between two marks with counters, and what nothing was counted of."""
    phase, title = _stretch(begin, end)
    counted_ns = boot.counted[end.name].get("ns", end.t_ns)
    if counted_ns > begin.t_ns:
        until = end.model_copy(update={"t_ns": counted_ns})
        yield from _counted_parts(boot, board, (phase, title), begin, until)
    if (rest_ns := end.t_ns - max(counted_ns, begin.t_ns)) > 0:
        yield LimitPart(
            phase=phase,
            title=title,
            cause="other",
            seconds=rest_ns / 1e9,
            bound_s=rest_ns / 1e9,
            known=False,
            why="the scope saw no mark at which to count",
            advice="" if counted_ns > begin.t_ns else "the kernel's System.map shows more marks",
        )


def _stretch(begin: Mark, end: Mark) -> tuple[str, str]:
    """The metric and the words of a stretch, joined where marks between are not there."""
    names = [*_STRETCHES]
    first = names.index(begin.name) + 1 if begin.name in names else 0
    phases, titles = zip(
        *(_STRETCHES[name] for name in names[first : names.index(end.name) + 1]), strict=True
    )
    others = (phase.removeprefix("boot.") for phase in phases[1:])
    return "+".join([phases[0], *others]), ", ".join(titles)


def _counted_parts(
    boot: Boot, board: TimedBoard, stretch: tuple[str, str], begin: Mark, end: Mark
) -> Iterator[LimitPart]:
    phase, title = stretch
    before, after = boot.counted.get(begin.name, {}), boot.counted[end.name]

    def seconds(*names: str) -> float:
        return sum(after.get(name, 0) - before.get(name, 0) for name in names) / _FS

    duration_s = (end.t_ns - begin.t_ns) / 1e9
    console_s, flash_s = seconds("uart_fs"), seconds("flash_fs")
    device_s = seconds("device_fs")
    # The counters of several cores are sums, which say nothing of when none of them worked.
    busy_s = worked_s(boot, begin, end) if boot.cores else seconds("cycles_fs")
    delay_s, counting = _countdown(boot, begin, end)
    medium_s = _until_medium(boot, begin, end)

    if console_s > 0:
        printed = printed_between(boot, begin.name, end.name)
        at = f" at {board.baud} baud" if board.baud else ""
        loud = board.levels.get("console") == "full" and begin.name != PHASES[0].start
        yield LimitPart(
            phase=phase,
            title=title,
            cause="console",
            seconds=console_s,
            bound_s=0,
            why=f"waits while {format_value(printed, 'B')} went out{at}; a boot need not print",
            advice="--set console=quiet" if loud else "",
        )
    if flash_s > 0 and (part := _flash(board, phase, title, flash_s)):
        yield part
    if device_s > 0:
        yield LimitPart(
            phase=phase,
            title=title,
            cause="device",
            seconds=device_s,
            bound_s=device_s,
            known=False,
            why="accesses to devices; no figure gives a bound",
        )
    if delay_s > 0:
        yield LimitPart(
            phase=phase,
            title=title,
            cause="wait",
            seconds=delay_s,
            bound_s=0,
            why="the bootloader's countdown",
            advice="--set bootdelay=0" if "bootdelay" in board.levels else "bootdelay=0 in U-Boot",
        )
    if medium_s > 0:
        yield LimitPart(
            phase=phase,
            title=title,
            cause="storage",
            seconds=medium_s,
            bound_s=medium_s,
            why="the bootloader waits until the medium is there",
            advice="",
        )
        # How often it looks is not counted by itself: no more than the part can.
        counting += round(medium_s * board.timing.clock.hz * board.timing.core.issue)
    if (idle_s := duration_s - busy_s) > 0:
        yield LimitPart(
            phase=phase,
            title=title,
            cause="idle",
            seconds=idle_s,
            bound_s=0,
            why="the processor waits for a timer or a device, and runs nothing meanwhile",
        )
    rest_s = duration_s - console_s - flash_s - device_s - max(idle_s, 0) - delay_s - medium_s
    if rest_s > 0:
        count = after.get("instructions", 0) - before.get("instructions", 0) - counting
        count = max(count, 0)
        yield _work(board, phase, title, rest_s, CoreWork.until(boot, end, count))


def _flash(board: TimedBoard, phase: str, title: str, flash_s: float) -> LimitPart | None:
    each_s = byte_s(board.timing, board.card.transfer if board.card else None)
    if not each_s:
        return None
    size, how = flash_s / each_s, ""
    if board.card is not None:
        bound_s = flash_s
        why = f"about {format_value(size, 'B')} read, at {format_value(1 / each_s, 'B/s')}"
    else:
        fastest_s = each_s
        for words, timing in board.faster.items():
            other_s = byte_s(timing)
            if other_s and other_s < fastest_s:
                fastest_s, how = other_s, words
        bound_s = size * fastest_s
        why = f"about {format_value(size, 'B')} read at {format_value(1 / each_s, 'B/s')}"
        if how:
            why += f"; the board's flash gives {format_value(1 / fastest_s, 'B/s')} by {how}"
    return LimitPart(
        phase=phase,
        title=title,
        cause="storage",
        seconds=flash_s,
        bound_s=bound_s,
        why=why,
        advice=how,
    )


def _work(board: TimedBoard, phase: str, title: str, rest_s: float, work: CoreWork) -> LimitPart:
    """Instructions and their accesses to memory: at the full rate, or unpacking at memory speed."""
    timing, by = board.timing, board.levels.get("compression", "none")
    if phase == "boot.kernel.load.decompress" and by != "none" and board.unpacked_bytes:
        least_s = unpacking_s(timing, board.kernel_bytes or 0, board.unpacked_bytes)
        rate = format_value(board.unpacked_bytes / least_s, "B/s")
        return LimitPart(
            phase=phase,
            title=title,
            cause="decompression",
            seconds=rest_s,
            bound_s=min(least_s, rest_s),
            why=f"{format_value(board.unpacked_bytes, 'B')} unpacked by {by}; "
            f"the model's memory takes {rate}",
        )
    bound_s = min(work.least / (timing.clock.hz * timing.core.issue), rest_s)
    return LimitPart(
        phase=phase,
        title=title,
        cause="processor",
        seconds=rest_s,
        bound_s=bound_s,
        why=f"{work.words}, at the part's full rate, all in its caches",
        advice="",
    )


def _countdown(boot: Boot, begin: Mark, end: Mark) -> tuple[float, int]:
    """The bootloader's countdown and its instructions, if it lies in the stretch."""
    main, command = boot.mark("bootloader.main"), boot.mark("boot.command")
    if main is None or command is None or not begin.t_ns <= main.t_ns <= command.t_ns <= end.t_ns:
        return 0.0, 0
    counted = (command.instructions or 0) - (main.instructions or 0)
    return (command.t_ns - main.t_ns) / 1e9, max(counted, 0)


def _until_medium(boot: Boot, begin: Mark, end: Mark) -> float:
    """The bootloader's wait for the medium, if it lies in the stretch."""
    command, found = boot.mark("boot.command"), boot.mark(FOUND)
    if command is None or found is None or not begin.t_ns <= found.t_ns <= end.t_ns:
        return 0.0
    return (found.t_ns - command.t_ns) / 1e9


def unpacking_s(timing: Timing, compressed: int, unpacked: int) -> float:
    """The least time to read and write these bytes of the model's memory, in streams."""
    hz, caches = timing.clock.hz, timing.caches
    line = (caches.l2 or caches.data).line
    read_fs = timing.memory.stream.femtoseconds(hz)
    written_fs = timing.memory.write.femtoseconds(hz)
    return (compressed * read_fs + unpacked * written_fs) / line / _FS
