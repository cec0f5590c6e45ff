# SPDX-License-Identifier: Apache-2.0
"""The parts of a boot and their bounds, made into a result; and what two kinds of boards share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median_low

from perfboard.analysis.boot.phases import total
from perfboard.model.results.boot import Boot
from perfboard.model.results.limits import LimitPart, LimitsResult
from perfboard.model.units import format_value

# A byte on a serial line with 8 data bits has a start bit and a stop bit.
BITS = 10
# A part of less than this share of the boot is not worth a line.
_LEAST = 0.001


@dataclass(frozen=True)
class Rate:
    """A rate in B/s, and where it is from."""

    value: float
    source: str

    @property
    def words(self) -> str:
        """The rate and its source."""
        return f"{format_value(self.value, 'B/s')} ({self.source})"


def shown_boot(boots: Sequence[Boot]) -> tuple[int, Boot] | None:
    """The boot with the median total, and its number from 1; None if no total is known."""
    totals = [
        (whole.duration_ns, number)
        for number, boot in enumerate(boots)
        if (whole := total(boot)) is not None and whole.between_ns is None
    ]
    if not totals:
        return None
    number = median_low(totals)[1]
    return number + 1, boots[number]


def printed_between(boot: Boot, start: str, end: str) -> int:
    """The bytes on the console from a mark to another; 0 if they were not counted at both."""
    if start not in boot.printed or end not in boot.printed:
        return 0
    return max(0, boot.printed[end] - boot.printed[start])


def limits_of(
    number: int,
    boot: Boot,
    parts: Iterable[LimitPart],
    figures: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> LimitsResult | None:
    """The parts by what they can save; small ones of a phase are one. None if there are none."""
    whole = total(boot)
    kept = [part for part in parts if part.seconds > 0]
    if whole is None or not kept or whole.duration_ns <= 0:
        return None
    total_s = whole.duration_ns / 1e9
    large = [part for part in kept if part.seconds >= _LEAST * total_s]
    small = [part for part in kept if part.seconds < _LEAST * total_s]
    if small:
        seconds = sum(part.seconds for part in small)
        large.append(
            LimitPart(
                phase="boot.total",
                title="all phases",
                cause="other",
                seconds=seconds,
                bound_s=seconds,
                known=False,
                why=f"{len(small)} parts of less than {_LEAST:.1%} of the boot each",
            )
        )
    large.sort(key=lambda part: (-part.saving_s, -part.seconds))
    return LimitsResult(
        boot=number,
        total_s=total_s,
        bound_s=sum(part.bound_s for part in large),
        parts=tuple(large),
        figures=tuple(figures),
        notes=tuple(notes),
    )
