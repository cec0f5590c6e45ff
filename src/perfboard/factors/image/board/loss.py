# SPDX-License-Identifier: Apache-2.0
"""The share of frames that the network loses, each way; the same ones in each run."""

from collections.abc import Callable

from perfboard.factors.base import Factor, Level, change_network, has_network
from perfboard.images.recipe import Recipe
from perfboard.model.board.network import Loss, Network

_SHARES = {"0.1%": 0.001, "1%": 0.01, "5%": 0.05}


def _lose(share: float) -> Callable[[Recipe], Recipe]:
    def change(network: Network) -> Network:
        loss = Loss(share=share, source="a level of this factor", kind="assumed")
        return network.model_copy(update={"loss": loss})

    return change_network(change)


FACTOR = Factor(
    name="loss",
    title="The share of frames that the network loses, each way",
    levels={
        "board": Level(),
        **{name: Level(_lose(share), technique=False) for name, share in _SHARES.items()},
    },
    other_hardware=True,
    of_trials=True,
    has=has_network,
    beyond_image="it is another network, and no image changes it",
)
