# SPDX-License-Identifier: Apache-2.0
"""Whether the kernel tells how long each of its initcalls takes."""

from dataclasses import replace

from perfboard.images.factors import Factor, Level
from perfboard.images.recipe import Recipe


def _on(recipe: Recipe) -> Recipe:
    # The console must print debug messages, and the log must hold those from before
    # there was a console.
    words = ("initcall_debug", "loglevel=8", "log_buf_len=1M")
    return replace(recipe, arguments=(*recipe.arguments, *words))


FACTOR = Factor(
    name="initcall_debug",
    title="Whether the kernel tells how long each initcall takes",
    levels={"off": Level(), "on": Level(_on)},
)
