# SPDX-License-Identifier: Apache-2.0
"""The latency of the network: how far away the machine at the far end is."""

from collections.abc import Callable

from perfboard.factors.base import Factor, Level, change_network, has_network
from perfboard.images.recipe import Recipe
from perfboard.model.board.network import Latency, Network

# One way, in us.
_LATENCIES = {"100us": 100.0, "1ms": 1e3, "5ms": 5e3, "20ms": 20e3, "100ms": 100e3}


def _take(us: float) -> Callable[[Recipe], Recipe]:
    def change(network: Network) -> Network:
        latency = Latency(one_way_us=us, source="a level of this factor", kind="assumed")
        return network.model_copy(update={"latency": latency})

    return change_network(change)


FACTOR = Factor(
    name="latency",
    title="The network's latency, one way",
    levels={
        "board": Level(),
        **{name: Level(_take(us), technique=False) for name, us in _LATENCIES.items()},
    },
    other_hardware=True,
    of_trials=True,
    has=has_network,
    beyond_image="it is another network, and no image changes it",
)
