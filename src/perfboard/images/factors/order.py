# SPDX-License-Identifier: Apache-2.0
"""What the files of a squashfs are sorted by."""

from perfboard.images.factors import Factor, Level, set_root
from perfboard.images.rootfs import has_reference

FACTOR = Factor(
    name="order",
    title="What the files of a squashfs are sorted by",
    levels={"name": Level(), "use": Level(set_root(order="use"))},
    has=has_reference,
)
