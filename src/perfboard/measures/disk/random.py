# SPDX-License-Identifier: Apache-2.0
"""disk.random: blocks of 4 KiB at random, one and 32 at a time, and bonnie++'s seeks."""

from typing import ClassVar

from perfboard.measures.disk.points import DiskPoints, point_example, point_quantities


class DiskRandom(DiskPoints):
    """By O_DIRECT; the seeks go through the page cache, as those of bonnie++ do."""

    name = "disk.random"
    title = "Reading and writing a file at random"
    # O_DIRECT first, or else without it.
    points: ClassVar = {
        "randread/direct/4096/1": ("disk.random.read", "reads of 4 KiB"),
        "randread/direct/4096/32": ("disk.random.read", "reads of 4 KiB, 32 at a time"),
        "randwrite/direct/4096/1": ("disk.random.write", "writes of 4 KiB"),
        "randwrite/direct/4096/32": ("disk.random.write", "writes of 4 KiB, 32 at a time"),
        "seeks/buffered/8192/1": ("disk.seeks", "seeks as bonnie++"),
    }
    operations = True
    written = 2
    metrics = tuple(
        quantity
        for name in ("disk.random.read", "disk.random.write", "disk.seeks")
        for quantity in point_quantities(
            name,
            "blocks a second: labels mode, block, depth",
            "of a block: labels mode, block, depth, percentile",
            operations=True,
        )
    )
    examples = (point_example({text: name for text, (name, _) in points.items()}, operations=True),)


MEASURES = (DiskRandom(),)
