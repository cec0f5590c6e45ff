# SPDX-License-Identifier: Apache-2.0
"""How much of the kernel's region of flash the bootloader copies."""

from perfboard.factors.base import Factor, Level, set_fields
from perfboard.images.flash.place import has_places

FACTOR = Factor(
    name="load",
    title="The part of the kernel's region that is copied",
    shortens=("boot.kernel.load",),
    levels={"kernel": Level(), "region": Level(set_fields(whole=True))},
    has=has_places,
)
