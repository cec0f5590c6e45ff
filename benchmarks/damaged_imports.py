# SPDX-License-Identifier: Apache-2.0
"""Damages files of each format that `perfboard import` reads: usage: see --help.

Each damaged file must be read, to a result that holds together, or refused in words that name it.
The process has 1 GB of memory. Exit code 1 at the first file that is neither, which stays where
the last line says.
"""

import argparse
import collections
import itertools
import random
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support.damaged_files import TOOLS, damaged, samples, try_reader

_MEMORY = 1 << 30


def main() -> int:
    """The readers one after the other, each with its count and the seconds that it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="files a reader (100,000)")
    parser.add_argument("--tool-count", type=int, default=1000, help="of those by a tool (1,000)")
    parser.add_argument("--seconds", type=float, default=1e9, help="at most this long a reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("readers", nargs="*", help="formats (all)")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    whole = samples()
    folder = Path(tempfile.mkdtemp())
    for name in arguments.readers or whole:
        count = arguments.tool_count if name in TOOLS else arguments.count
        began, found = time.monotonic(), collections.Counter[str]()
        path = folder / "damaged.bin"
        for number in itertools.islice(itertools.count(arguments.seed), count):
            if not whole[name] or time.monotonic() - began > arguments.seconds:
                break
            chance = random.Random(number)  # noqa: S311
            data = damaged(chance, chance.choice(whole[name]))
            try:
                found[try_reader(name, data, path)] += 1
            except Exception:
                traceback.print_exc()
                print(f"{name}, seed {number}: {path}")
                return 1
        took_s = time.monotonic() - began
        print(f"{name}: {found.total():,} in {took_s:.0f} s: {dict(found)}", flush=True)
        path.unlink(missing_ok=True)
    folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
