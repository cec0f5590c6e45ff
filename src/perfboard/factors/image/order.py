# SPDX-License-Identifier: Apache-2.0
"""What the files of a squashfs, and the functions of BusyBox, are sorted by."""

from perfboard.factors.base import Factor, Level, set_root
from perfboard.images.root.build import has_reference

FACTOR = Factor(
    name="order",
    title="What the files of a squashfs, and the functions of BusyBox, are sorted by",
    levels={
        "name": Level(),
        "use": Level(set_root(order="use")),
        "functions": Level(set_root(order="functions")),
    },
    has=has_reference,
)
