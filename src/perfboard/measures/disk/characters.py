# SPDX-License-Identifier: Apache-2.0
"""disk.characters: a byte at a time through stdio, as bonnie++ 1.9x does (bring-up study, 2010)."""

from typing import ClassVar

from perfboard.measures.disk.points import DiskPoints, point_example, point_quantities


class DiskCharacters(DiskPoints):
    """By putc() and getc() of the probe's C library, musl, which the board's may not be."""

    name = "disk.characters"
    title = "Reading and writing a byte at a time"
    points: ClassVar = {
        "putc/buffered/4096/1": ("disk.putc", "out, by putc"),
        "getc/buffered/4096/1": ("disk.getc", "in, by getc"),
    }
    metrics = tuple(
        quantity
        for name, words in points.values()
        for quantity in point_quantities(
            name, f"bytes a second {words}", "of 64 KiB: label percentile"
        )
    )
    examples = (point_example({text: name for text, (name, _) in points.items()}),)


MEASURES = (DiskCharacters(),)
