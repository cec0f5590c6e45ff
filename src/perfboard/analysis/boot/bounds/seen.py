# SPDX-License-Identifier: Apache-2.0
"""The bounds of a boot of which the console was seen, by the board's measured rates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from perfboard.analysis.boot.bounds.parts import BITS, Rate, limits_of, printed_between, shown_boot
from perfboard.analysis.boot.phase_time import PhaseTime
from perfboard.analysis.boot.phases import cut_boot
from perfboard.analysis.boot.reading.waits import ADVICE, UNPACKING
from perfboard.model.results.boot import Boot, Mark, Wait
from perfboard.model.results.limits import Cause, LimitPart, LimitsResult
from perfboard.model.units import format_value

_DELAY, _LOAD = "boot.delay", "boot.kernel.load"
_UNPACKED = ".decompress"


@dataclass(frozen=True)
class SeenBoard:
    """The line's rate in bit/s, and measured rates, by which bounds are found; None if not known.

    `figures` names the runs that the rates are of, `measured_by` the command that measures the
    memory's, "" if there is none.
    """

    baud: int | None = None
    memory: Rate | None = None
    storage: Rate | None = None
    figures: tuple[str, ...] = ()
    measured_by: str = ""


def seen_limits(boots: Sequence[Boot], board: SeenBoard) -> LimitsResult | None:
    """The limits of the boot with the median total; None if no boot became usable."""
    shown = shown_boot(boots)
    if shown is None:
        return None
    number, boot = shown
    rates = [
        Rate(wait.size / (wait.duration_ns / 1e9), "the fastest that the bootloader printed")
        for wait in boot.waits
        if wait.kind == "read" and wait.size and wait.duration_ns
    ]
    fastest = max((board.storage, *rates), key=lambda rate: rate.value if rate else 0)
    parts = [part for row in _rows(boot) for part in _BoundPhase(boot, board, fastest, row).parts()]
    notes = []
    if _of_console(boot) and _baud(boot, board) is None:
        notes.append("The console's rate is not known, so that its time is not told apart.")
    if board.memory is None:
        how = (
            f"`{board.measured_by}` gives"
            if board.measured_by
            else "a run of the measure memory.bandwidth on the board, under the same name, gives"
        )
        notes.append(f"No figures of this board's memory: {how} decompression a bound.")
    return limits_of(number, boot, parts, board.figures, notes)


def _of_console(boot: Boot) -> bool:
    """Whether its times are those of a console's bytes, not of the kernel's log."""
    return any(mark.source == "console" for mark in boot.marks)


def _resolution_s(boot: Boot) -> float:
    """The resolution of the console's stamps: that of the mark that is known best by them."""
    return min((m.precision_ns for m in boot.marks if m.source != "kernel-log"), default=0) / 1e9


def _baud(boot: Boot, board: SeenBoard) -> int | None:
    return (board.baud or boot.console_baud) if _of_console(boot) else None


def _rows(boot: Boot) -> Iterator[PhaseTime]:
    """The phases without gaps; of those with steps of the kernel's, the steps and what is left."""
    whole: PhaseTime | None = None
    at: Mark | None = None
    for row in cut_boot(boot):
        if row.depth and (whole is None or not row.name.startswith("boot.kernel.")):
            continue
        if row.depth and whole is not None and at is not None:
            if at.t_ns < row.start.t_ns:
                yield _left(whole, at, row.start)
            yield row
            at = row.end
            continue
        if whole is not None and at is not None and at.t_ns < whole.end.t_ns:
            yield _left(whole, at, whole.end)
        whole, at = row, row.start
    if whole is not None and at is not None and at.t_ns < whole.end.t_ns:
        yield _left(whole, at, whole.end)


def _left(whole: PhaseTime, start: Mark, end: Mark) -> PhaseTime:
    """The rest of a phase besides its steps, without the words for the steps."""
    words = [part.title for part in whole.parts if part.name != _LOAD]
    title = ", ".join(words) if start is not whole.start and words else whole.title
    return replace(whole, start=start, end=end, title=title)


class _BoundPhase:
    """A phase, and the time of it that no part has yet."""

    def __init__(self, boot: Boot, board: SeenBoard, fastest: Rate | None, row: PhaseTime) -> None:
        self._boot, self._board, self._fastest, self._row = boot, board, fastest, row
        self._left_s = row.duration_ns / 1e9
        # A saving of no more than the stamps' resolution may be none.
        self._least_s = _resolution_s(boot)

    def parts(self) -> Iterator[LimitPart]:
        """Waits and reads by their lines, then what was printed, then the rest."""
        row, boot = self._row, self._boot
        if row.name == _DELAY and self._left_s > self._least_s:
            yield self._part(
                "wait",
                self._left_s,
                0,
                "the bootloader's countdown",
                "bootdelay=0, or -2, in U-Boot",
            )
            return
        for wait in boot.waits:
            if row.start.t_ns <= wait.start_ns < row.end.t_ns:
                yield self._by_line(wait)
        baud = _baud(boot, self._board)
        printed = printed_between(boot, row.start.name, row.end.name)
        printing_s = printed * BITS / baud if baud else 0
        if printing_s > self._least_s:
            yield self._part(
                "console",
                printing_s,
                0,
                f"{format_value(printed, 'B')} at {baud} baud, if each program waited for the line",
                "a quiet bootloader, and `quiet` on the kernel's command line",
            )
        unpacked, memory = boot.unpacked_bytes, self._board.memory
        unpacking_s = unpacked / memory.value if unpacked and memory else self._left_s
        saved_s = self._left_s - unpacking_s
        if row.name.endswith(_UNPACKED) and unpacked and memory and saved_s > self._least_s:
            yield self._part(
                "decompression",
                self._left_s,
                unpacking_s,
                f"{format_value(unpacked, 'B')} unpacked, at the speed of memory, {memory.words}",
                "a faster compression, such as lz4",
            )
        if self._left_s > 0:
            yield self._part("other", self._left_s, None, "no figure gives a bound", "")

    def _by_line(self, wait: Wait) -> LimitPart:
        took_s = wait.duration_ns / 1e9
        if wait.kind == "read" and wait.size and self._fastest:
            return self._part(
                "storage",
                took_s,
                wait.size / self._fastest.value,
                f"{format_value(wait.size, 'B')} read by the bootloader; the board reads "
                f"{self._fastest.words}",
                "",
            )
        if wait.name == UNPACKING:
            unpacked, memory = self._boot.unpacked_bytes, self._board.memory
            bound_s = unpacked / memory.value if unpacked and memory else None
            return self._part("decompression", took_s, bound_s, wait.name, "")
        return self._part("wait", took_s, 0, wait.name, ADVICE.get(wait.name, ""))

    def _part(
        self, cause: Cause, seconds: float, bound_s: float | None, why: str, advice: str
    ) -> LimitPart:
        """A part of what is left of the phase."""
        seconds = min(seconds, self._left_s)
        self._left_s -= seconds
        return LimitPart(
            phase=self._row.name,
            title=self._row.title,
            cause=cause,
            seconds=seconds,
            bound_s=seconds if bound_s is None else min(bound_s, seconds),
            known=bound_s is not None,
            why=why,
            advice=advice,
        )
