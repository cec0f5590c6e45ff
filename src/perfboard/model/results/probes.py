# SPDX-License-Identifier: Apache-2.0
"""The processes of probes on a target, to which samples belong by their place in the run."""

from pydantic import Field

from perfboard.model.record import Int64, Quantity, Record


class ProbeProcess(Record):
    """One process of a probe on the target.

    `tick_s` and `cost_s` are the resolution of its clock and what reading that
    took. `disturbances` counts what came between, by name, in the unit that the
    name ends with (`steal_s`) or as a plain count (`involuntary_switches`).
    `refused` says why it could not measure.
    """

    probe: str
    round: Int64
    elapsed_s: Quantity
    cpu: Int64 | None = None
    clock: str = ""
    tick_s: Quantity | None = None
    cost_s: Quantity | None = None
    disturbances: dict[str, Quantity] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    refused: str | None = None
