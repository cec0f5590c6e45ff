# SPDX-License-Identifier: Apache-2.0
"""The share of frames that the network loses, each way; the same ones in each run."""

from collections.abc import Callable

from perfboard.factors.base import network_factor
from perfboard.model.board.network import Loss, Network

_SHARES = {"0.1%": 0.001, "1%": 0.01, "5%": 0.05}


def _lose(share: float) -> Callable[[Network], Network]:
    loss = Loss(share=share, source="a level of this factor", kind="assumed")
    return lambda network: network.model_copy(update={"loss": loss})


FACTOR = network_factor(
    "loss",
    "The share of frames that the network loses, each way",
    {name: _lose(share) for name, share in _SHARES.items()},
)
