# SPDX-License-Identifier: Apache-2.0
"""The code between reset and the kernel."""

from perfboard.factors.base import Factor, Level, set_fields
from perfboard.images.flash.place import has_places

FACTOR = Factor(
    name="bootloader",
    title="The code between reset and the kernel",
    shortens=("boot.bootloader", "boot.command", "boot.delay", "boot.kernel.load"),
    levels={
        "u-boot": Level(),
        "none": Level(
            set_fields(direct=True),
            loses="the bootloader's commands and its environment: neither another kernel nor "
            "other arguments can be chosen on the board",
        ),
    },
    has=has_places,
)
