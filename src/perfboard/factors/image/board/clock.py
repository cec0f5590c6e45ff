# SPDX-License-Identifier: Apache-2.0
"""The clock of the processor: a faster or slower part; memory and buses stay as they are."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.recipe import Recipe

_TIMES = (0.5, 0.75, 1.25, 1.5, 2.0, 2.5, 3.0)


def _run(times: float) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        timing = recipe.board.timing
        if timing is None:
            return recipe
        clock = timing.clock.model_copy(update={"hz": round(timing.clock.hz * times)})
        timing = timing.model_copy(update={"clock": clock})
        return replace(recipe, board=recipe.board.model_copy(update={"timing": timing}))

    return change


FACTOR = Factor(
    name="clock",
    title="The clock of the processor, as times the board's own",
    levels={
        "board": Level(),
        **{f"{times:g}x": Level(_run(times), technique=False) for times in _TIMES},
    },
    other_hardware=True,
    of_trials=True,
    has=lambda board: board.timing is not None,
    beyond_image="it is another part, and no image changes it",
)
