# SPDX-License-Identifier: Apache-2.0
"""The rate of the network's wire: another card and switch on the same board."""

from collections.abc import Callable

from perfboard.factors.base import Factor, Level, change_network, has_network
from perfboard.images.recipe import Recipe
from perfboard.model.board.network import Network

_RATES = {"10M": 10**7, "100M": 10**8, "1G": 10**9}


def _run_at(rate: int) -> Callable[[Recipe], Recipe]:
    def change(network: Network) -> Network:
        wire = network.wire.model_copy(update={"rate": rate})
        return network.model_copy(update={"wire": wire})

    return change_network(change)


FACTOR = Factor(
    name="wire",
    title="The rate of the network's wire, in bit/s",
    levels={
        "board": Level(),
        **{name: Level(_run_at(rate), technique=False) for name, rate in _RATES.items()},
    },
    other_hardware=True,
    of_trials=True,
    has=has_network,
    beyond_image="it is another network, and no image changes it",
)
