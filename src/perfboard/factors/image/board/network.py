# SPDX-License-Identifier: Apache-2.0
"""How the board's network link comes up: study E took its negotiation off the boot's path."""

from collections.abc import Callable

from perfboard.factors.base import Factor, Level, change_network, has_network
from perfboard.images.network import NETWORK_DRIVER, has_own_card
from perfboard.images.recipe import Recipe
from perfboard.model.board.network import Link


def _link(link: Link) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        set_link = change_network(lambda network: network.model_copy(update={"link": link}))
        recipe = set_link(recipe)
        options = {NETWORK_DRIVER: "y"} if has_own_card(recipe.board.network) else {}
        return recipe.with_options(options)

    return change


FACTOR = Factor(
    name="network",
    title="How the network link comes up",
    levels={
        "board": Level(),
        "instant": Level(
            _link("instant"), loses="the time that the wire takes, which no real board is without"
        ),
        "parallel": Level(_link("parallel")),
        "waited": Level(_link("waited")),
    },
    has=has_network,
    other_hardware=True,
    of_trials=True,
)
