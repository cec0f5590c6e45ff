# SPDX-License-Identifier: Apache-2.0
"""The order of a squashfs's files, and of BusyBox's functions."""

from perfboard.factors.base import Factor, Level, set_root
from perfboard.images.root.build import has_reference

FACTOR = Factor(
    name="order",
    title="The order of a squashfs's files, and of BusyBox's functions",
    shortens=("boot.userspace",),
    levels={
        "name": Level(),
        "use": Level(set_root(order="use")),
        "functions": Level(set_root(order="functions")),
    },
    has=has_reference,
)
