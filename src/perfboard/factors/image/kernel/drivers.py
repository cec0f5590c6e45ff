# SPDX-License-Identifier: Apache-2.0
"""The start of drivers that a boot need not wait for: the network card's, and the clock's.

Linux 6.1 waits for asynchronous probes before it mounts the root (init/do_mounts.c): they may
overlap with the initcalls that come after them, and no more. As a module, or deferred, it is the
network card's alone: a script writes the date into a file, so that the clock's is on the way to
usable.
"""

from collections.abc import Callable

from perfboard.factors.base import Factor, Level, add_arguments, set_root
from perfboard.images.network import NETWORK_DRIVER, PROBED_DRIVER, has_own_card
from perfboard.images.recipe import Recipe
from perfboard.images.root.build import has_reference
from perfboard.model.board.virtual import FlashBoard, VirtualBoard

# The names of the drivers, as the kernel's command line and modprobe have them.
_CLOCK = "rtc-pl031"
_EMULATORS, _OWN = "virtio_net", "perfboard_nic"


def _probed(recipe: Recipe) -> tuple[str, Recipe]:
    """The name of the network card's driver; the recipe where that is probed as any other."""
    if not has_own_card(recipe.board.network):
        return _EMULATORS, recipe
    return _OWN, recipe.with_options({NETWORK_DRIVER: "n", PROBED_DRIVER: "y"})


def _asynchronous(recipe: Recipe) -> Recipe:
    name, recipe = _probed(recipe)
    return add_arguments(f"driver_async_probe={name},{_CLOCK}")(recipe)


def _as_module(level: str) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        name, recipe = _probed(recipe)
        recipe = set_root(drivers=level, module=name)(recipe)
        return recipe.with_options({"CONFIG_MODULES": "y", f"CONFIG_{name.upper()}": "m"})

    return change


def _has(board: VirtualBoard) -> bool:
    # The clock is that of a machine with flash.
    return has_reference(board) and isinstance(board, FlashBoard)


FACTOR = Factor(
    name="drivers",
    title="The start of drivers that a boot need not wait for",
    shortens=("boot.kernel.init",),
    levels={
        "builtin": Level(),
        "async": Level(_asynchronous),
        "module": Level(_as_module("module")),
        "deferred": Level(
            _as_module("deferred"),
            loses="the network when the board is usable, except the loopback: its card comes "
            "after that",
        ),
    },
    has=_has,
    late=True,
)
