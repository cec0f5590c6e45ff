# SPDX-License-Identifier: Apache-2.0
"""When compression pays: the boot study's equation, and the form where reading overlaps.

The boot study reads all of a compressed image and then unpacks it: that pays if size_c/bw_read +
size_c/bw_decompress < size/bw_read. If reading and unpacking overlap, only the slower of the two
counts.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PackedSize:
    """Something to load: `size` bytes as stored, and the seconds that unpacking them takes.

    Uncompressed data takes none.
    """

    size: int
    unpack_s: float = 0.0


def sequential_s(packed: PackedSize, bytes_per_s: float) -> float:
    """The time to read and then to unpack it."""
    return packed.size / bytes_per_s + packed.unpack_s


def overlapped_s(packed: PackedSize, bytes_per_s: float) -> float:
    """The time where it is unpacked while it is read."""
    return max(packed.size / bytes_per_s, packed.unpack_s)


def sequential_crossing(one: PackedSize, other: PackedSize) -> float | None:
    """The read bandwidth in B/s at which both take the same; the smaller is faster below it.

    None where one of them is faster, or no slower, at every bandwidth.
    """
    small, large = sorted((one, other), key=lambda packed: packed.size)
    longer = small.unpack_s - large.unpack_s
    if small.size == large.size or longer <= 0:
        return None
    bandwidth = (large.size - small.size) / longer
    return bandwidth if math.isfinite(bandwidth) else None


def overlapped_crossing(one: PackedSize, other: PackedSize) -> float | None:
    """As `sequential_crossing`, where reading and unpacking overlap.

    The smaller is late where the larger has been read in the time that the smaller
    takes to be unpacked.
    """
    small, large = sorted((one, other), key=lambda packed: packed.size)
    if small.size == large.size or small.unpack_s <= large.unpack_s:
        return None
    bandwidth = large.size / small.unpack_s
    return bandwidth if math.isfinite(bandwidth) else None


@dataclass(frozen=True)
class CompressionForm:
    """A form of the equation: the time at a bandwidth, and that where two take the same."""

    seconds: Callable[[PackedSize, float], float]
    crossing: Callable[[PackedSize, PackedSize], float | None]


SEQUENTIAL = CompressionForm(sequential_s, sequential_crossing)
OVERLAPPED = CompressionForm(overlapped_s, overlapped_crossing)


@dataclass(frozen=True)
class Winner:
    """The fastest from the bandwidth `low` up to `high`, in B/s."""

    name: str
    low: float
    high: float


def winners(
    packed: Mapping[str, PackedSize], low: float, high: float, form: CompressionForm = SEQUENTIAL
) -> tuple[Winner, ...]:
    """The fastest, by that form of the equation, at each bandwidth from `low` to `high`.

    If two take the same throughout, the first counts.
    """
    found = [
        form.crossing(one, other)
        for place, one in enumerate(packed.values())
        for other in list(packed.values())[:place]
    ]
    cuts = sorted({c for c in found if c is not None and low < c < high} | {low, high})
    result: list[Winner] = []
    for start, end in itertools.pairwise(cuts):
        middle = math.sqrt(start) * math.sqrt(end)
        # If two take the same there, the smaller may be faster below; if they have one size, the
        # one that is unpacked sooner may be faster above.
        name = min(
            packed,
            key=lambda name: (
                form.seconds(packed[name], middle),
                packed[name].size,
                packed[name].unpack_s,
            ),
        )
        if result and result[-1].name == name:
            start = result.pop().low
        result.append(Winner(name, start, end))
    return tuple(result)


def read_rate(sizes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """The read bandwidth in B/s that fits best: sum of size x time over the sum of squared times.

    A least-squares line through zero of size over time. None where no time is above 0.
    """
    squares = sum(second * second for second in seconds)
    if squares <= 0:
        return None
    return sum(s * t for s, t in zip(sizes, seconds, strict=True)) / squares
