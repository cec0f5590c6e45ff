# SPDX-License-Identifier: Apache-2.0
"""Gates between equal and unequal things, resampled from stored runs.

`python benchmarks/gates.py RUN ...` takes the values of each metric over runs of one kind, draws
pairs of them with replacement, and lets gates decide: half of them have one of the metrics slower
by 2%, the others none.
"""

import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from perfboard.analysis.compare.comparison import label_name
from perfboard.analysis.statistics.sequential import SequentialAnswer, decide, looks
from perfboard.analysis.statistics.summary import mean_interval
from perfboard.store.reading import load_run

_GATES, _MOST, _RATE, _ALLOWED, _SLOWER = 10_000, 40, 0.01, 0.005, 0.02


def gate(
    values: Sequence[Sequence[float]], slower: float, chance: random.Random
) -> tuple[SequentialAnswer, bool, list[float]]:
    """The first metric's answer, whether any is red, and the first one's differences."""
    excesses: list[list[float]] = [[] for _ in values]
    differences: list[float] = []
    needs = looks(_MOST)[0]
    while True:
        while len(differences) < needs:
            for place, known in enumerate(values):
                before, after = chance.choice(known), chance.choice(known)
                after *= 1 + slower if place == 0 else 1
                excesses[place].append(after - before - _ALLOWED * before)
                if place == 0:
                    differences.append(after - before)
        found = decide(excesses, _RATE, _MOST)
        if not found.needs:
            return found.answers[0], SequentialAnswer.WORSE in found.answers, differences
        needs = found.needs


def main(folders: Sequence[str]) -> None:
    """Prints the share of red gates, and how well the slowdown's size is known."""
    known: dict[str, list[float]] = {}
    for folder in folders:
        for metric in load_run(Path(folder)).metrics:
            if metric.unit == "s" and metric.samples:
                known.setdefault(label_name(metric), []).append(statistics.median(metric.samples))
    values = [found for found in known.values() if len(found) >= len(folders) * 0.9]
    for name, found in known.items():
        print(f"{name}: {len(found)} runs, {statistics.stdev(found) / statistics.mean(found):.1%}")
    chance = random.Random("gates")  # noqa: S311
    red = sum(gate(values, 0.0, chance)[1] for _ in range(_GATES))
    print(f"A/A: {red} of {_GATES} gates red, {len(values)} metrics each")
    hits = inside = 0
    pairs: list[int] = []
    size = _SLOWER * statistics.mean(values[0])
    for _ in range(_GATES // 10):
        answer, _, differences = gate(values, _SLOWER, chance)
        interval = mean_interval(differences)
        hits += answer is SequentialAnswer.WORSE
        inside += interval is not None and interval.low <= size <= interval.high
        pairs.append(len(differences))
    print(
        f"{_SLOWER:.0%} slower: found in {hits} of {_GATES // 10}, size inside its interval in "
        f"{inside}, {statistics.median(pairs):.0f} pairs (median)"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
