# SPDX-License-Identifier: Apache-2.0
"""The kernel's configuration: the board's own, without what its boot never uses, or Debian's."""

from dataclasses import replace

from perfboard.factors.base import Factor, Level
from perfboard.images.recipe import Recipe
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.errors import UsageError


def _slim(recipe: Recipe) -> Recipe:
    board, kernel = recipe.board, recipe.board.image.kernel
    slim = kernel.slim if isinstance(kernel, BuiltKernel) else {}
    if not slim:
        raise UsageError(
            f"config=slim: board {board.name} has no image.kernel.slim; "
            "`perfboard boards slim BOARD` finds what to write there"
        )
    # It must have the options that other levels ask for.
    return replace(recipe, options={**slim, **recipe.options})


def _distribution(recipe: Recipe) -> Recipe:
    # A distribution's kernel has a seed for its random numbers before the first program runs.
    options = {**recipe.options, "CONFIG_PERFBOARD_SEED": "y"}
    return replace(recipe, distribution=True, options=options)


FACTOR = Factor(
    name="config",
    title="The kernel's configuration",
    shortens=("boot.kernel.load", "boot.kernel.init"),
    levels={
        "board": Level(),
        "slim": Level(
            _slim,
            loses="system calls, devices and files in /proc that its boot does not use, "
            "and a program might later",
        ),
        "distribution": Level(_distribution, technique=False),
    },
    of_trials=True,
    has=lambda board: isinstance(board.image.kernel, BuiltKernel),
)
