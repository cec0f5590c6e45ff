# SPDX-License-Identifier: Apache-2.0
"""A board's network: how it is driven, what it takes in time, and who says so."""

from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.board.disk import Milliseconds
from perfboard.model.sourced import WithSource
from perfboard.model.tables import Table

Link = Literal["instant", "parallel", "waited"]


class NetworkWire(WithSource):
    """Bits a second, each way."""

    rate: Annotated[int, Field(ge=1000, le=10**12)]


class WireLatency(WithSource):
    """Microseconds from a frame's end on this side of the network to its end on the other."""

    one_way_us: Annotated[float, Field(ge=0, le=1_000_000, strict=False)]


class Loss(WithSource):
    """The share of frames that are lost, each way."""

    share: Annotated[float, Field(ge=0, lt=1, strict=False)]


class Negotiation(WithSource):
    """ms from the start of the PHY until the link is up."""

    after_ms: Milliseconds


class Network(Table):
    """An Ethernet link; without its other tables frames take no time and none is lost.

    `link` is how it comes up. `instant`: the network card is the emulator's, which has a link
    at once, and nobody answers. With the others it is that of our driver: `parallel`, where
    it is negotiated when the interface has been opened, while the board goes on; `waited`,
    where the driver waits for it before the kernel goes on.
    """

    link: Link = "parallel"
    wire: NetworkWire
    latency: WireLatency | None = None
    loss: Loss | None = None
    negotiation: Negotiation | None = None
