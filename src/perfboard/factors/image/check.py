# SPDX-License-Identifier: Apache-2.0
"""Whether the bootloader checks the kernel's sum before it starts it."""

from perfboard.factors.base import Factor, Level, set_fields
from perfboard.images.flash.place import has_places

FACTOR = Factor(
    name="check",
    title="Whether the bootloader checks the kernel's sum",
    levels={"none": Level(), "crc32": Level(set_fields(checked=True))},
    has=has_places,
)
