# SPDX-License-Identifier: Apache-2.0
"""Packets a second that a device echoes, as a run has them."""

from typing import Literal

from pydantic import Field

from perfboard.model.record import Int64, Quantity, Record
from perfboard.model.results.base import Result

Protocol = Literal["icmp", "udp"]


class FloodRow(Record):
    """Senders that ask again as soon as they are answered.

    `window` requests of each are under way at once; `rate` is requests and replies a second of all
    senders together; `busy` is each one's share of a processor.
    """

    payload: Int64
    senders: Int64
    window: Int64
    rate: Quantity
    sent: Int64
    answered: Int64
    busy: tuple[Quantity, ...] = ()


class TrialRow(Record):
    """A trial of the search: `load` requests a second for `duration_s`.

    `late` of the answers came after the last request. A sender was late by `behind_s` at most.
    A trial that does not `count` was repeated.
    """

    load: Quantity
    duration_s: Quantity
    sent: Int64
    answered: Int64
    late: Int64
    behind_s: Quantity
    counts: bool


class EchoResult(Record):
    """One protocol: what its echoes reached, and what limits them.

    `lower` and `upper` bound the requests a second at which nothing is lost; None where there is no
    such load, or the senders reach none. `bias` is the share by which queues may flatter the lower
    one. `reason` says why nothing was measured.
    """

    protocol: Protocol
    reason: str = ""
    flood: tuple[FloodRow, ...] = ()
    saturated: bool = False
    curve: tuple[FloodRow, ...] = ()
    trials: tuple[TrialRow, ...] = ()
    trial_s: Quantity = 0.0
    goal: str = ""
    lower: Quantity | None = None
    upper: Quantity | None = None
    bias: Quantity = 0.0
    place: str = "unknown"
    why: str = ""


class PacketsResult(Result):
    """All protocols; `icmp_before` and `icmp_after` are the kernel's limits on ICMP messages."""

    kind: Literal["packets"] = "packets"
    address: str
    senders: tuple[str, ...]
    echoes: tuple[EchoResult, ...]
    icmp_before: dict[str, str] = Field(default_factory=dict)
    icmp_after: dict[str, str] = Field(default_factory=dict)

    @property
    def undecided(self) -> bool:
        return all(echo.reason for echo in self.echoes)

    @property
    def summary(self) -> str:
        """The best rate of each protocol, in words."""
        found = []
        for echo in self.echoes:
            rates = [row.rate for row in echo.flood]
            if echo.lower is not None:
                rates.append(2 * echo.lower)
            if rates:
                found.append(f"{echo.protocol} {max(rates):,.0f} packets/s")
        return ", ".join(found)


RESULT = PacketsResult
