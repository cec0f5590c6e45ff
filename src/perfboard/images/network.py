# SPDX-License-Identifier: Apache-2.0
"""A board's network, in the words of its driver (native/kernel/perfboard_net.c) and the scope."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from perfboard.binaries.scope import build_plugin
from perfboard.images.packages.apt_source import SourceState
from perfboard.model.board.network import Network
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.progress import Progress

NETWORK_DRIVER = "CONFIG_PERFBOARD_NET"
# The same card, probed by the kernel's driver core.
PROBED_DRIVER = "CONFIG_PERFBOARD_NIC"
_FUNCTION = "perfboard_far_end"
# The TCP/IP of the machine at the far end: Debian's source package.
_LWIP = "lwip"
# The TLS of the pages that it serves.
_MBEDTLS = "mbedtls"
# The machine at the far end has every address, and serves TCP at this port. A board's script gives
# its card the other one, and waits for the link.
FAR_END, FAR_END_PORT = "192.0.2.1", 80
BOARD = "192.0.2.2"
# The line that the reference system prints when it has sent a packet (root/announced).
ANNOUNCED = "announced"
LINK_UP = f"""\
ip address add {BOARD}/24 dev eth0 && ip link set eth0 up || exit 1
while [ "$(cat /sys/class/net/eth0/carrier)" = 0 ]; do sleep 0.01; done
"""


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


def build_scope(board: VirtualBoard, progress: Progress, secure: bool = False) -> Path:
    """The scope's plugin for a board's cores, with a far end where it has a card of ours.

    If that is `secure`, it can serve pages over TLS. Raises EnvironmentLacksError.
    """
    cores = board.machine.cpus
    if not has_own_card(board.network):
        return build_plugin(progress, cores=cores)
    tls = tls_source(progress) if secure else None
    return build_plugin(progress, lwip_source(progress), tls, cores=cores)


def lwip_source(progress: Progress) -> Path:
    """The sources of the far end's TCP/IP. Raises EnvironmentLacksError."""
    return _source(_LWIP, progress)


def tls_source(progress: Progress) -> Path:
    """The sources of the far end's TLS. Raises EnvironmentLacksError."""
    return _source(_MBEDTLS, progress)


def _source(package: str, progress: Progress) -> Path:
    (folder,) = (path for path in SourceState(progress).unpack(package).iterdir() if path.is_dir())
    return folder


def far_end(network: Network | None, symbols: Mapping[str, int], timed: bool) -> str | None:
    """The network in the scope's words (native/scope/network.h); None: there is none.

    `symbols` are those of the kernel. All takes no time unless it is `timed`.
    """
    address = symbols.get(_FUNCTION)
    if network is None or not has_own_card(network) or address is None:
        return None
    rate = network.wire.rate if timed else 0
    latency = round(network.latency.one_way_us * 1000) if network.latency and timed else 0
    loss = round(network.loss.share * 2**32) if network.loss else 0
    return f"{address:x}:{rate}:{latency}:{loss}"


def _times(network: Network) -> Iterator[tuple[str, str]]:
    yield "rate", str(network.wire.rate)
    if network.negotiation is not None:
        yield "negotiation", str(round(network.negotiation.after_ms * 1000))
