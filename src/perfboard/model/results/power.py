# SPDX-License-Identifier: Apache-2.0
"""The energy that a boot took, phase by phase."""

from typing import Literal

from perfboard.model.record import Int64, Quantity, Record
from perfboard.model.results.base import Result, count_words


class Energy(Record):
    """The energy in J that a meter saw in `seconds`, within `error`. `name` says of what."""

    name: str
    seconds: Quantity
    joules: Quantity
    error: Quantity


class PhasePower(Record):
    """The energy of a phase in J, and its highest current in A, each within its error.

    None for what the meter does not show. `name` is the phase's metric. It begins at `start_s` of
    the curve.
    """

    name: str
    title: str
    seconds: Quantity
    samples: Int64
    start_s: Quantity | None = None
    joules: Quantity | None = None
    joules_error: Quantity | None = None
    highest_a: Quantity | None = None
    highest_error_a: Quantity | None = None


class CurvePoint(Record):
    """A short span of a trace, its middle at `t_s` since the boot's first phase began."""

    t_s: Quantity
    lowest: Quantity
    mean: Quantity
    highest: Quantity


class PowerResult(Result):
    """A meter's trace held against the phases of a boot. `too_slow` names phases left out.

    `curve` is the trace itself, in `curve_unit`: W, or A where the voltage is unknown.
    """

    kind: Literal["power"] = "power"
    source: str
    period_s: Quantity
    phases: tuple[PhasePower, ...]
    too_slow: tuple[str, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    curve_unit: Literal["W", "A"] = "W"

    @property
    def summary(self) -> str:
        return f"energy of {count_words(len(self.phases), 'phase', 'phases') or 'no phase'}"


RESULT = PowerResult
