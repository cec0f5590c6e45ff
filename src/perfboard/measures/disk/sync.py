# SPDX-License-Identifier: Apache-2.0
"""disk.sync: how long it takes until a block is safe on the medium."""

from typing import ClassVar

from perfboard.measures.disk.points import DiskPoints, point_example, point_quantities


class DiskSync(DiskPoints):
    """Each block of 4 KiB is written and fsync() called: over the file, and at a new one's end."""

    name = "disk.sync"
    title = "A block and its fsync"
    points: ClassVar = {
        "sync/buffered/4096/1": ("disk.sync.overwrite", "blocks of 4 KiB with fsync, over a file"),
        "append/buffered/4096/1": ("disk.sync.append", "blocks of 4 KiB with fsync, at its end"),
    }
    operations = True
    written = 2
    metrics = tuple(
        quantity
        for name, words in points.values()
        for quantity in point_quantities(
            name,
            f"a second: {words}",
            "of a block and its fsync: label percentile",
            operations=True,
        )
    )
    examples = (point_example({text: name for text, (name, _) in points.items()}, operations=True),)


MEASURES = (DiskSync(),)
