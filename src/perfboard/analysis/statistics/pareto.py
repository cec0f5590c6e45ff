# SPDX-License-Identifier: Apache-2.0
"""The combinations than which none is both smaller and faster."""

from collections.abc import Iterable


def pareto_front(points: Iterable[tuple[float, float]]) -> list[int]:
    """The places of the points that no other beats, in order of the first coordinate.

    Less is better in both. A point is beaten by one that is no worse in either and better in
    one; of points alike, the first counts.
    """
    placed = sorted((cost, time, place) for place, (cost, time) in enumerate(points))
    front: list[int] = []
    fastest: float | None = None
    for _, time, place in placed:
        if fastest is None or time < fastest:
            front.append(place)
            fastest = time
    return front
