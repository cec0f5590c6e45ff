# SPDX-License-Identifier: Apache-2.0
"""The boots of a run that can be summarised together, and how their times are printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from perfboard.analysis.boot.phase_time import PhaseTime, between_of
from perfboard.analysis.boot.phases import cut_boot, total
from perfboard.model.results.boot import Boot
from perfboard.model.units import format_value


@dataclass(frozen=True)
class SeriesScale:
    """One unit, the millisecond, and as many decimals for every time of a report."""

    decimals: int

    def ms(self, t_ns: float) -> str:
        """A time in milliseconds, without the unit."""
        return f"{t_ns / 1e6:,.{self.decimals}f}"

    def between(self, bounds: tuple[int, int]) -> str:
        """An interval in milliseconds, without the unit."""
        return " to ".join(map(self.ms, bounds))

    def spread(self, samples: Sequence[int]) -> str:
        """Smallest and largest of one time over the boots, in words where they print alike."""
        if len(samples) == 1:
            return "\N{EN DASH}"
        low, high = min(samples), max(samples)
        if low == high:
            return "same"
        if self.ms(low) == self.ms(high):
            return f"within {format_value((high - low) / 1e9, 's')}"
        return f"{self.ms(low)} to {self.ms(high)}"


@dataclass(frozen=True)
class SeriesChart:
    """The boots of a run that went through the same phases, with one to stand for them.

    `shown` counts from 1 in the run; `left_out` are the numbers of other boots.
    `rows` holds the phase rows of each boot, alike in number and names.
    """

    boots: tuple[Boot, ...]
    rows: tuple[tuple[PhaseTime, ...], ...]
    shown: int
    boot: Boot
    left_out: tuple[int, ...]

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """Nanoseconds from reset to usable of each boot, or nothing where not reached."""
        ends = [total(boot) for boot in self.boots]
        return tuple(end.duration_ns for end in ends if end is not None)

    @cached_property
    def total_between(self) -> tuple[int, int] | None:
        """The least and most nanoseconds of any total, if one is not known to a tenth of itself."""
        return between_of([[end] for boot in self.boots if (end := total(boot)) is not None])

    @property
    def whole(self) -> str:
        """The words for the total: from what to what it is."""
        found = total(self.boot)
        return found.title if found else ""

    @property
    def median_total(self) -> float | None:
        """The median of the totals, in nanoseconds."""
        return median(self.totals) if self.totals else None

    @cached_property
    def scale(self) -> SeriesScale:
        """Microseconds, unless the boot is long or no row is known to a millisecond."""
        rows = [row for boot in self.rows for row in boot]
        precision = min((row.precision_ns for row in rows), default=0)
        longest = max((row.duration_ns for row in rows), default=0)
        if precision >= 10**6 or longest >= 10**11:
            return SeriesScale(1)
        return SeriesScale(3)


def series_of(boots: Sequence[Boot]) -> SeriesChart:
    """The boots to summarise, of one at least: those like the boot with the median total.

    With an even number of boots it is the lower of the two in the middle. If no
    boot became usable, it is the one with the most marks.
    """
    whole = sorted(
        (found.duration_ns, index)
        for index, boot in enumerate(boots)
        if (found := total(boot)) is not None
    )
    if whole:
        shown = whole[(len(whole) - 1) // 2][1]
    else:
        shown = max(range(len(boots)), key=lambda index: len(boots[index].marks))
    cut = [cut_boot(boot) for boot in boots]
    wanted = [row.name for row in cut[shown]]
    alike = [index for index, rows in enumerate(cut) if [row.name for row in rows] == wanted]
    return SeriesChart(
        boots=tuple(boots[index] for index in alike),
        rows=tuple(cut[index] for index in alike),
        shown=shown + 1,
        boot=boots[shown],
        left_out=tuple(index + 1 for index in range(len(cut)) if index not in alike),
    )
