# SPDX-License-Identifier: Apache-2.0
"""Playbacks whose writer wakes for each buffer, or for several: what each cost, and risked."""

from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.record import Int64, Quantity, Record
from perfboard.model.results.base import Result, count_words
from perfboard.model.results.power import Energy


class Playback(Record):
    """One playback in a way, at a trigger, under a load.

    `level` is the trigger: a number, or "adaptive"; `refused` says why the target cannot play so,
    and then the figures are 0. `idle_s` is how long the processor had nothing to do. `copies` are
    files of 256 KiB. `fill` has the wakes by the number of buffers that were still filled;
    `latency` pairs of the least latency of a class in ns and its wakes; `at_level` the wakes at
    each trigger. `needed_ns` is the most of a wake's slack that had gone when a buffer was filled,
    None where it is not known. `states` are the seconds in each idle state that the kernel counts.
    `energies` are those that a meter saw; `no_energy` says why it saw none.
    """

    way: str
    level: str
    load: str
    refused: str = ""
    elapsed_s: Quantity = 0.0
    idle_s: Quantity = 0.0
    switches: Int64 = 0
    writer_switches: Int64 = 0
    copies: Quantity = 0.0
    bursts: Int64 = 0
    wakes: Int64 = 0
    missed: Int64 = 0
    latency_max_ns: Int64 = 0
    needed_ns: Int64 | None = None
    fill: dict[Int64, Int64] = Field(default_factory=dict)
    at_level: dict[Int64, Int64] = Field(default_factory=dict)
    latency: tuple[tuple[Int64, Int64], ...] = ()
    states: dict[str, Quantity] = Field(default_factory=dict)
    energies: tuple[Energy, ...] = ()
    no_energy: str = ""

    def latency_at(self, share: float) -> float | None:
        """The latency in s that `share` of the wakes do not exceed, to a quarter; None: unknown."""
        total = sum(count for _, count in self.latency)
        passed = 0
        for place, (_, count) in enumerate(self.latency):
            passed += count
            if passed >= share * total:
                # The next class begins where this one ends.
                later = self.latency[place + 1 :]
                end = later[0][0] if later else self.latency_max_ns
                return min(end, self.latency_max_ns) / 1e9
        return None


class PowerModel(Record):
    """The least and the greatest power in W of a processor that is busy, and of one that waits."""

    active: tuple[Quantity, Quantity]
    idle: tuple[Quantity, Quantity]
    source: str
    kind: str


class PublishedWakeups(Record):
    """Published changes of a trigger's figures against trigger 0, as shares of these."""

    level: str
    switches: Quantity
    copies: Quantity
    power: Quantity
    source: str


class WakeupsResult(Result):
    """The playbacks, in their order.

    `advised` is the trigger to use, "" where none was measured that misses nothing; `because` says
    why. `meter` is the one that was asked for; `power` is the model of a board without one.
    """

    kind: Literal["wakeups"] = "wakeups"
    buffers: Annotated[Int64, Field(ge=2, le=64)]
    buffer_bytes: Annotated[Int64, Field(ge=1)]
    period_ns: Annotated[Int64, Field(ge=1)]
    periods: Annotated[Int64, Field(ge=1)]
    playbacks: tuple[Playback, ...]
    advised_way: str = ""
    advised: str = ""
    because: str = ""
    published: tuple[PublishedWakeups, ...] = ()
    meter: str = ""
    power: PowerModel | None = None

    @property
    def undecided(self) -> bool:
        no_energy = any(each.no_energy for each in self.playbacks)
        return not self.advised or no_energy

    @property
    def summary(self) -> str:
        return count_words(len(self.playbacks), "playback", "playbacks")

    def slack_s(self, level: int) -> float:
        """The time that a wake at the trigger `level` has until a deadline is missed."""
        return (self.buffers - 1 - level) * self.period_ns / 1e9


RESULT = WakeupsResult
