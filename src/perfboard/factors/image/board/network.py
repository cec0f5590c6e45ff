# SPDX-License-Identifier: Apache-2.0
"""How the network link comes up: the boot study of 2009 negotiated off the boot's path."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level, change_network, has_network, set_root
from perfboard.images.network import ANNOUNCED, NETWORK_DRIVER, has_own_card
from perfboard.images.recipe import Recipe
from perfboard.images.root.build import has_reference
from perfboard.model.board.network import Link
from perfboard.model.errors import UsageError


def _link(link: Link) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        set_link = change_network(lambda network: network.model_copy(update={"link": link}))
        recipe = set_link(recipe)
        options = {NETWORK_DRIVER: "y"} if has_own_card(recipe.board.network) else {}
        return recipe.with_options(options)

    return change


def _announced(recipe: Recipe) -> Recipe:
    """A board that is usable when it has sent a packet."""
    board = recipe.board
    if not has_reference(board):
        raise UsageError(
            f"network=announced is a script of the reference system; the image of {board.name} is "
            "another: have it send a packet, and choose network=parallel"
        )
    recipe = set_root(announces=True)(_link("parallel")(recipe))
    plan = board.boot.model_copy(update={"usable": f"console:{ANNOUNCED}"})
    return replace(recipe, board=recipe.board.model_copy(update={"boot": plan}))


_NO_SCRIPTS = "its script is one of those that run in sequence"

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
        "announced": Level(
            _announced,
            technique=False,
            perturbs="has a script send a packet, with which the boot ends",
            excludes={("init", level): _NO_SCRIPTS for level in ("parallel", "application")},
        ),
    },
    has=has_network,
    other_hardware=True,
    of_trials=True,
)
