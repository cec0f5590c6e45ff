# SPDX-License-Identifier: Apache-2.0
"""The kernel's delay loop: by a timer, or by its own count, calibrated or preset.

The virtual board has a timer by which Linux waits, which parts like the PXA270 have not. A
timer whose tick is longer than a microsecond is not used for that (Linux 6.1,
arch/arm/lib/delay.c, register_current_timer_delay), and the kernel calibrates its loop: by its own
method, or by that of the kernels of the boot study's time (native/kernel/perfboard_calibrate.c),
which takes longer.
"""

from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.flash.place import has_places
from perfboard.images.recipe import Recipe
from perfboard.model.errors import UsageError

_TIMER_HZ = 900_000


def _calibrated(recipe: Recipe) -> Recipe:
    machine = recipe.board.machine
    cpu = f"{machine.cpu},cntfrq={_TIMER_HZ}"
    board = recipe.board.model_copy(update={"machine": machine.model_copy(update={"cpu": cpu})})
    return replace(recipe, board=board)


def _as_of_old(recipe: Recipe) -> Recipe:
    return _calibrated(recipe).with_options({"CONFIG_PERFBOARD_CALIBRATE": "y"})


def _preset(recipe: Recipe) -> Recipe:
    loops = recipe.board.image.kernel.loops_per_jiffy
    if loops is None:
        raise UsageError(
            f"delay=preset: board {recipe.board.name} has no image.kernel.loops_per_jiffy; boot "
            "it with delay=calibrated, and take the value from the kernel's log (lpj=...)"
        )
    recipe = _calibrated(recipe)
    return replace(recipe, arguments=(*recipe.arguments, f"lpj={loops}"))


FACTOR = Factor(
    name="delay",
    title="The kernel's delay loop",
    shortens=("boot.kernel.init",),
    levels={
        "timer": Level(),
        "calibrated": Level(_calibrated),
        "calibrated-2.6": Level(_as_of_old, technique=False),
        "preset": Level(_preset),
    },
    has=has_places,
    other_hardware=True,
)
