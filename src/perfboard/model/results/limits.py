# SPDX-License-Identifier: Apache-2.0
"""How far a boot is from the limit that its board's own figures set."""

from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.record import Int64, Quantity, Record
from perfboard.model.results.base import Result

_TENTH = 10

Cause = Literal[
    "console", "storage", "wait", "decompression", "processor", "device", "idle", "other"
]


class LimitPart(Record):
    """The part of a phase that went to one cause: `seconds` now, `bound_s` at the least.

    `phase` is the metric of the phase, or of several as one, and `title` its
    words. `why` says what the bound rests on, `advice` what comes nearer to it; "" if nothing is
    known. If no figure gives a bound, `bound_s` is `seconds` and `known` is False.
    """

    phase: str
    title: str
    cause: Cause
    seconds: Quantity
    bound_s: Quantity
    known: bool = True
    why: str
    advice: str = ""

    @property
    def saving_s(self) -> float:
        """The most that can be saved."""
        return self.seconds - self.bound_s


class LimitsResult(Result):
    """The parts of one boot, that which can save the most first.

    `boot` is the boot's number, `parts` add up to `total_s`, and their bounds to `bound_s`.
    `figures` names the runs whose rates the bounds rest on. `notes` say what is missing.
    """

    kind: Literal["limits"] = "limits"
    boot: Int64
    total_s: Quantity
    bound_s: Quantity
    parts: Annotated[tuple[LimitPart, ...], Field(min_length=1)]
    figures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def unknown_s(self) -> float:
        """The seconds of the parts that no figure gives a bound."""
        return sum(part.seconds for part in self.parts if not part.known)

    @property
    def covered(self) -> bool:
        """Whether the figures cover the boot, so that `bound_s` is known to a tenth of itself."""
        return self.unknown_s <= self.bound_s / _TENTH


RESULT = LimitsResult
