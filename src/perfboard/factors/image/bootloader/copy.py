# SPDX-License-Identifier: Apache-2.0
"""The steps by which the bootloader copies the kernel."""

from perfboard.factors.base import Factor, Level, set_fields
from perfboard.images.flash.place import has_places

FACTOR = Factor(
    name="copy",
    title="The steps by which the bootloader copies the kernel",
    shortens=("boot.kernel.load",),
    levels={"words": Level(), "bytes": Level(set_fields(copy="cp.b"))},
    has=has_places,
)
