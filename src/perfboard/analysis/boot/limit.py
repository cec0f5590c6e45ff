# SPDX-License-Identifier: Apache-2.0
"""The least that a boot could take: bytes that must be read, instructions that must run."""

from collections.abc import Iterable

from perfboard.analysis.boot.cores import CoreWork
from perfboard.model.board.disk import DiskTransfer
from perfboard.model.results.boot import Boot
from perfboard.model.results.tune import TuneLimit
from perfboard.model.timing.part import Timing

_FS = 1e15
_FLASH = "flash_fs"
_USABLE = "usable"


def byte_s(timing: Timing, card: DiskTransfer | None = None) -> float | None:
    """The time that a bootloader takes to read a byte in order, in s; None if no model has it.

    That is of the `card`, if it reads one. Flash is read through the data cache, a line's share; or
    it is the mean over a page, whose first access may take longer than the others.
    """
    if card is not None:
        return 1 / card.rate
    flash, hz = timing.flash, timing.clock.hz
    if flash is None:
        return None
    line = timing.caches.data.line
    if flash.caching == "cached" and flash.fill:
        return flash.fill.femtoseconds(hz) / _FS / line
    span = max(flash.page, flash.width)
    accesses = span / flash.width
    first, later = flash.first.femtoseconds(hz), flash.next.femtoseconds(hz)
    return (first + (accesses - 1) * later) / _FS / span


def boot_limit(
    boots: Iterable[tuple[Boot, Timing]], card: DiskTransfer | None = None
) -> TuneLimit | None:
    """The limit over boots, each with the timing model that it ran with.

    The bytes are the fewest that any bootloader read from flash, or from the `card`: its wait over
    that of a byte there. They are taken at the fastest of their set-ups. The instructions are
    the fewest that any of them ran, each in its share of a cycle; of several cores
    those of the busiest, however they are shared. None without a boot that counted both.
    """
    read: list[float] = []
    fastest: list[float] = []
    counts: list[int] = []
    instruction_s, shared = 0.0, ""
    for boot, timing in boots:
        usable = boot.mark(_USABLE)
        if usable is None or usable.instructions is None:
            continue
        if boot.cores:
            shared = " on its busiest core, as far as programs can share them"
        counts.append(round(CoreWork.until(boot, usable, usable.instructions).least))
        instruction_s = 1 / (timing.clock.hz * timing.core.issue)
        each = byte_s(timing, card)
        if each and _FLASH in boot.whole_counters:
            read.append(boot.whole_counters[_FLASH] / _FS / each)
            fastest.append(each)
    if not counts:
        return None
    place = "flash" if card is None else "the card"
    return TuneLimit(
        read_bytes=min(read, default=0.0),
        read_s=min(fastest, default=0.0),
        instructions=min(counts),
        instruction_s=instruction_s,
        words=f"The fewest bytes that any bootloader read from {place} (its wait over the time "
        f"of a byte there), at the fastest rate that {place} had, and the fewest "
        f"instructions that any boot ran{shared}, at the part's full rate, over the boots whose "
        "levels the best may have. None of them did with less; an image that reads or runs less "
        "can be below it.",
    )
