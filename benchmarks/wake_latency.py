# SPDX-License-Identifier: Apache-2.0
"""How late latency.wake's thread wakes, next to cyclictest under the same loads.

usage: python benchmarks/wake_latency.py [--wakes N] [--rounds N]

Under each load the probe's thread and cyclictest (Debian's rt-tests) take turns, each with N wakes
of 500 us, at the same priority. What is printed is the median, and the most of 99 % of the wakes,
of all rounds together. Bar: under each load the probe's median is between half and twice
cyclictest's. Exit code 1 where one is not. Run it as root on an idle machine.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from perfboard.analysis.statistics.summary import percentile_of
from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.measures.wakeups.latency import LOADS, WokeRow
from perfboard.model.progress import SilentProgress
from perfboard.model.rows import read_rows

PERIOD_US, MOST_US = 500, 20_000
NEAR = (0.5, 2.0)


def by_probe(words: list[str], load: str, wakes: int, folder: str) -> Iterator[float]:
    """How late the probe's wakes are, in us."""
    asked = [*words, "wake", load, str(wakes), str(PERIOD_US), folder]
    done = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True)
    rows = read_rows(done.stdout, WokeRow)
    if not rows:
        sys.exit(done.stdout)
    yield from (ns / 1000 for ns in rows[0].late_ns)


def by_cyclictest(words: list[str], load: str, wakes: int, folder: str) -> Iterator[float]:
    """How late cyclictest's are, by its histogram of whole us."""
    shape = [f"-i{PERIOD_US}", f"-l{wakes}", f"-h{MOST_US}"]
    cyclictest = ["cyclictest", "--quiet", "--mlockall", "--priority=80", "-t1", *shape]
    asked = [*words, "under", load, folder, *cyclictest]
    done = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True)
    for late, count in re.findall(r"^(\d{6}) (\d+)$", done.stdout, re.MULTILINE):
        yield from [float(late)] * int(count)


def main() -> int:
    """Runs both, and says how late they were."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wakes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    words = [str(find_binary(architecture_of(platform.machine()), SilentProgress()))]
    missed = False
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, us late")
    for load in LOADS:
        late: dict[str, list[float]] = {"probe": [], "cyclictest": []}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(given.rounds):
                for name, run in (("probe", by_probe), ("cyclictest", by_cyclictest)):
                    late[name] += run(words, load, given.wakes, folder)
        medians = {name: percentile_of(each, 50) for name, each in late.items()}
        shown = ", ".join(
            f"{name} {medians[name]:.1f} and {percentile_of(each, 99):.1f}"
            for name, each in late.items()
        )
        ratio = medians["probe"] / max(medians["cyclictest"], 1)
        print(f"{load}: {shown}; ratio of the medians {ratio:.2f}")
        missed |= not NEAR[0] <= ratio <= NEAR[1]
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
