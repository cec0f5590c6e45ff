# SPDX-License-Identifier: Apache-2.0
"""The timer's tick, where durations that a kernel prints are multiples of it."""

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

# The rates of the tick that kernels are built with, in Hz.
_RATES = (100, 128, 200, 250, 256, 300, 500, 1000, 1024)
# In us, the longest first. Older kernels divide nanoseconds by 1024.
_TICKS_US = sorted((1e6 / hz / unit for hz in _RATES for unit in (1, 1.024)), reverse=True)
# A kernel's own tick may differ by its timer's divider.
_LEAST_SHARE = 5000
_ROUNDED_NS = 2_000


class PrintedTime(NamedTuple):
    """A printed duration, and from its first record to its second; None without a first."""

    us: int
    gap_ns: int | None

    def ticks(self, tick_us: float) -> int | None:
        """How many ticks it is, or None if it is no multiple of one."""
        count = round(self.us / tick_us)
        near = abs(self.us - count * tick_us) <= 1 + self.us / _LEAST_SHARE
        return count if near and (count > 0) == (self.us > 0) else None

    @property
    def is_too_long(self) -> bool:
        """Whether its records are too near to each other for it."""
        return self.gap_ns is not None and self.us * 1000 > self.gap_ns + _ROUNDED_NS


class TickedTimes(NamedTuple):
    """How many durations, from the first on, are multiples of a tick, and that in us."""

    number: int
    tick_us: float


def ticked_times(printed: Sequence[PrintedTime]) -> TickedTimes | None:
    """The durations that a tick timed, in the order printed; None if there are none.

    One of them is a single tick. All of the log, two not zero, or else one that is longer than from
    its first record to its second show that no finer clock was there.
    """
    found: TickedTimes | None = None
    for tick_us in _TICKS_US:
        multiples = (each.ticks(tick_us) for each in printed)
        counts = [*takewhile(lambda ticks: ticks is not None, multiples)]
        several = len(counts) == len(printed) and sum(map(bool, counts)) > 1
        too_long = any(each.is_too_long for each in printed[: len(counts)])
        if 1 in counts and (several or too_long) and (found is None or len(counts) > found.number):
            found = TickedTimes(len(counts), tick_us)
    return found
