# SPDX-License-Identifier: Apache-2.0
"""The block size of a squashfs."""

from perfboard.factors.base import Factor, Level, set_root
from perfboard.images.root.build import has_reference

_OTHERS = (4, 16, 64, 256, 1024)


FACTOR = Factor(
    name="block",
    title="The block size of a squashfs",
    levels={"128k": Level(), **{f"{kib}k": Level(set_root(block=kib << 10)) for kib in _OTHERS}},
    has=has_reference,
)
