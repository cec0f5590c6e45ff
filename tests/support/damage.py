# SPDX-License-Identifier: Apache-2.0
"""What may happen to a file of the cache."""

from collections.abc import Callable
from pathlib import Path

_FLIPPED = 64


def cut(file: Path) -> None:
    """Leaves the first half."""
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)


def empty(file: Path) -> None:
    """Leaves no byte."""
    file.write_bytes(b"")


def delete(file: Path) -> None:
    """Leaves no file."""
    file.unlink()


def flip(file: Path) -> None:
    """Flips all bits of up to 64 bytes in the middle."""
    with file.open("r+b") as opened:
        start = max(0, (file.stat().st_size - _FLIPPED) // 2)
        opened.seek(start)
        before = opened.read(_FLIPPED)
        opened.seek(start)
        opened.write(bytes(byte ^ 0xFF for byte in before))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "cut": cut,
    "emptied": empty,
    "deleted": delete,
    "flipped": flip,
}
