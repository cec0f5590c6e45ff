# SPDX-License-Identifier: Apache-2.0
"""The latency of the network: how far away the machine at the far end is."""

from collections.abc import Callable

from perfboard.factors.base import network_factor
from perfboard.model.board.network import Network, WireLatency

# One way, in us.
_LATENCIES = {"100us": 100.0, "1ms": 1e3, "5ms": 5e3, "20ms": 20e3, "100ms": 100e3}


def _take(us: float) -> Callable[[Network], Network]:
    latency = WireLatency(one_way_us=us, source="a level of this factor", kind="assumed")
    return lambda network: network.model_copy(update={"latency": latency})


FACTOR = network_factor(
    "latency",
    "The network's latency, one way",
    {name: _take(us) for name, us in _LATENCIES.items()},
)
