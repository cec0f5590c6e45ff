# SPDX-License-Identifier: Apache-2.0
"""The rate of the network's wire: another card and switch on the same board."""

from collections.abc import Callable

from perfboard.factors.base import network_factor
from perfboard.model.board.network import Network

_RATES = {"10M": 10**7, "100M": 10**8, "1G": 10**9}


def _run_at(rate: int) -> Callable[[Network], Network]:
    def change(network: Network) -> Network:
        wire = network.wire.model_copy(update={"rate": rate})
        return network.model_copy(update={"wire": wire})

    return change


FACTOR = network_factor(
    "wire",
    "The rate of the network's wire, in bit/s",
    {name: _run_at(rate) for name, rate in _RATES.items()},
)
