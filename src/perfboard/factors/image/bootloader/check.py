# SPDX-License-Identifier: Apache-2.0
"""The bootloader's checksum of the kernel before it starts it."""

from perfboard.factors.base import Factor, Level, set_fields
from perfboard.images.flash.place import has_places

FACTOR = Factor(
    name="check",
    title="The bootloader's checksum of the kernel",
    shortens=("boot.kernel.load", "boot.command"),
    levels={"none": Level(), "crc32": Level(set_fields(checked=True))},
    has=has_places,
)
