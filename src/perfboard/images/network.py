# SPDX-License-Identifier: Apache-2.0
"""A board's network, and the parameters of its driver (native/kernel/perfboard_net.c)."""

from collections.abc import Iterator

from perfboard.model.board.network import Network

NETWORK_DRIVER = "CONFIG_PERFBOARD_NET"
# The same card, probed by the kernel's driver core.
PROBED_DRIVER = "CONFIG_PERFBOARD_NIC"


def has_own_card(network: Network | None) -> bool:
    """Whether the board's network card is our driver's, not the emulator's."""
    return network is not None and network.link != "instant"


def network_arguments(
    network: Network | None, timed: bool, driver: str = NETWORK_DRIVER
) -> tuple[str, ...]:
    """The kernel's arguments for the network, to the `driver` of that option.

    It does everything at once unless it is `timed`.
    """
    if network is None or not has_own_card(network):
        return ()
    values = {"present": "1", "wait": str(int(network.link == "waited"))}
    if timed:
        values |= dict(_times(network))
    prefix = driver.removeprefix("CONFIG_").lower()
    return tuple(f"{prefix}.{name}={value}" for name, value in values.items())


def _times(network: Network) -> Iterator[tuple[str, str]]:
    yield "rate", str(network.wire.rate)
    if network.latency is not None:
        yield "latency", str(round(network.latency.one_way_us * 1000))
    if network.negotiation is not None:
        yield "negotiation", str(round(network.negotiation.after_ms * 1000))
