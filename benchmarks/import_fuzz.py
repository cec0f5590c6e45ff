# SPDX-License-Identifier: Apache-2.0
"""Fuzz of the whole `perfboard import`, and of the commands that look at runs: usage: see --help.

Each mutated file becomes a run or is refused in words. Each boot of a made-up log is answered with
intervals that hold its truth. What is wrong is printed with the seed that makes it again; exit code
1 if anything was.
"""

import argparse
import collections
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support.answered_boots import try_boots
from tests.support.fuzzed_imports import Trial, try_file, whole_files

_SHOWN_S = 30


def main() -> int:
    """Both kinds of files, with their counts, and the slowest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000, help="mutated files (100,000)")
    parser.add_argument("--looks", type=int, default=3000, help="of those through all (3,000)")
    parser.add_argument("--commands", type=int, default=500, help="of those as commands (500)")
    parser.add_argument("--boots", type=int, default=20_000, help="made-up logs (20,000)")
    parser.add_argument("--seed", type=int, default=0, help="the first (0)")
    options = parser.parse_args()
    files = whole_files()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.update(XDG_DATA_HOME=f"{name}/data", XDG_CACHE_HOME=f"{name}/cache")

        def try_one(seed: int) -> Trial:
            place = seed - options.seed
            return try_file(
                seed,
                files,
                folder,
                everything=_is_chosen(place, options.looks, options.files),
                process=_is_chosen(place, options.commands, options.files),
            )

        wrong = _try_all("mutated files", options.files, options.seed, try_one)
        wrong += _try_all(
            "made-up logs", options.boots, options.seed, lambda seed: try_boots(seed, folder)
        )
    return 1 if wrong else 0


def _is_chosen(place: int, count: int, of: int) -> bool:
    """Whether it is one of `count`, evenly spread."""
    return (place + 1) * count // of > place * count // of


def _try_all(title: str, count: int, first: int, try_one: Callable[[int], Trial]) -> int:
    """How many were wrong."""
    began = shown = time.monotonic()
    codes = collections.Counter[int]()
    wrong, slowest = 0, Trial(first)
    for done, seed in enumerate(range(first, first + count), 1):
        trial = try_one(seed)
        codes[trial.code] += 1
        slowest = max(slowest, trial, key=lambda each: each.took_s)
        if trial.faults:
            wrong += 1
            print(f"seed {seed}:", *trial.faults, sep="\n  ", flush=True)
        now = time.monotonic()
        if now - shown > _SHOWN_S:
            shown = now
            left_s = (now - began) / done * (count - done)
            print(f"{done:,} of {count:,} {title}, {left_s / 60:.0f} min left", file=sys.stderr)
    took_s = time.monotonic() - began
    print(
        f"{count:,} {title} in {took_s:.0f} s: {wrong} wrong; "
        f"exit codes {dict(sorted(codes.items()))}; "
        f"the slowest took {slowest.took_s:.1f} s, seed {slowest.seed}",
        flush=True,
    )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
