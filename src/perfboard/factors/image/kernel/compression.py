# SPDX-License-Identifier: Apache-2.0
"""The kernel's compression, among those that Linux 6.1 unpacks on 32-bit Arm."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level, refuse, set_fields
from perfboard.images.flash.place import PLAIN, has_places
from perfboard.images.recipe import Recipe

_OTHERS = ("lzo", "lz4", "lzma", "xz")


def _by(name: str) -> Callable[[Recipe], Recipe]:
    options = {"CONFIG_KERNEL_GZIP": "n", f"CONFIG_KERNEL_{name.upper()}": "y"}
    return lambda recipe: replace(recipe, compression=name).with_options(options)


FACTOR = Factor(
    name="compression",
    title="The kernel's compression",
    shortens=("boot.kernel.load",),
    levels={
        "gzip": Level(),
        **{name: Level(_by(name)) for name in _OTHERS},
        "none": Level(set_fields(place=PLAIN)),
        "zstd": refuse("compression=zstd: Linux 6.1 unpacks no such kernel on 32-bit Arm"),
    },
    has=has_places,
    # Less to read pays where reading is slow.
    tried_with=("flash",),
)
