# SPDX-License-Identifier: Apache-2.0
"""Copies of files that are mostly holes, as the content of disks is."""

from pathlib import Path

_BLOCK = 1 << 16


def copy_sparse(source: Path, start: int, to: Path, at: int, size: int) -> None:
    """Copies `size` bytes from `start` on to `at` in `to`, which ends there; zeros become holes."""
    with source.open("rb") as read, to.open("wb") as written:
        read.seek(start)
        for place in range(0, size, _BLOCK):
            block = read.read(min(_BLOCK, size - place))
            if any(block):
                written.seek(at + place)
                written.write(block)
        written.truncate(at + size)
