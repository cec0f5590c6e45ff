# SPDX-License-Identifier: Apache-2.0
"""Precision and recall of the steps that are found in generated series.

    python benchmarks/steps.py [asv|otava]

For a peer, run it by a Python that has `asv` or `apache-otava`; it needs nothing of ours then.
Each series has 150 values and a step every 12 to 60 of them. A found step counts if it lies within
3 values of a true one.
"""

import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# As perfboard.history.series has it.
_CONFIRMED = 3
_LENGTH, _NEAR = 150, 3

# Noise of standard deviation 1, or near it.
NOISES: dict[str, Callable[[random.Random], float]] = {
    "normal": lambda chance: chance.gauss(0, 1),
    "heavy (Student's t of 3)": lambda chance: (
        chance.gauss(0, 1) / math.sqrt(chance.gammavariate(1.5, 1 / 1.5))
    ),
    "normal, 5% of values 15 higher": lambda chance: (
        chance.gauss(0, 1) + (15 if chance.random() < 0.05 else 0)
    ),
}


@dataclass(frozen=True)
class Score:
    """How the found steps of many series compare with the true ones."""

    precision: float
    recall: float
    false_per_series: float


def ours(values: Sequence[float]) -> list[int]:
    """The places of Perfboard's steps."""
    from perfboard.analysis.statistics.steps import segments

    return [segment.start for segment in segments(values, _CONFIRMED)[1:]]


def asv(values: Sequence[float]) -> list[int]:
    """Those of airspeed velocity."""
    from asv.step_detect import detect_steps

    return [left for left, *_ in detect_steps(list(values))[1:]]


def otava(values: Sequence[float]) -> list[int]:
    """Those of Apache Otava, as it comes."""
    from otava.analysis import compute_change_points

    return [point.index for point in compute_change_points(list(values))[0]]


def score(
    find: Callable[[Sequence[float]], list[int]], noise: str, size: float, count: int, seed: int
) -> Score:
    """The score over `count` series with steps of `size` standard deviations; 0 for none."""
    chance = random.Random(seed)  # noqa: S311
    right = wrong = missed = 0
    for _ in range(count):
        values, cuts = _series(chance, NOISES[noise], size)
        left = set(cuts)
        for place in find(values):
            match = [cut for cut in left if abs(cut - place) <= _NEAR]
            left -= set(match[:1])
            right, wrong = right + bool(match), wrong + (not match)
        missed += len(left)
    return Score(
        right / (right + wrong) if right + wrong else 1.0,
        right / (right + missed) if right + missed else 1.0,
        wrong / count,
    )


def _series(
    chance: random.Random, noise: Callable[[random.Random], float], size: float
) -> tuple[list[float], list[int]]:
    cuts: list[int] = []
    while (place := (cuts[-1] if cuts else 0) + chance.randint(12, 60)) <= _LENGTH - 8:
        cuts.append(place)
    level, values = 100.0, []
    for place in range(_LENGTH):
        if place in cuts:
            level += chance.choice((-1, 1)) * size
        values.append(level + noise(chance))
    return values, cuts if size else []


def main(peer: str) -> None:
    """Prints a line for each noise and size."""
    find = {"ours": ours, "asv": asv, "otava": otava}[peer]
    for noise in NOISES:
        for size in (0, 2, 3, 5):
            found = score(find, noise, size, 200, seed=11)
            print(
                f"{noise}, steps of {size}: precision {found.precision:.3f}, recall "
                f"{found.recall:.3f}, false steps a series {found.false_per_series:.3f}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:] or ["ours"])
