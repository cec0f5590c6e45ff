# SPDX-License-Identifier: Apache-2.0
"""How late the paced writer of media.* itself is, next to cyclictest at the same time.

usage: python benchmarks/pacing.py [--seconds N]

Both run at the same time, for a minute: the writer writes 100 bytes to a folder of this machine's
100 times a second, and cyclictest (Debian's rt-tests) sleeps as often, at normal priority. What
counts is the time from when a frame or a sleep was due to when it began or ended.
Bar: the writer's 99.9th percentile is no more than 0.2 ms above cyclictest's. Exit code 1 where it
is. Run it on an idle machine.
"""

import argparse
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.model.progress import SilentProgress

RATE = 100
MOST_US = 200.0
SHARE = 0.999


def nearest(samples: Sequence[float]) -> float:
    """The percentile by nearest rank."""
    return sorted(samples)[math.ceil(SHARE * len(samples)) - 1]


def main() -> int:
    """Runs both, and says what they were late by."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=60)
    count = RATE * parser.parse_args().seconds
    probe = find_binary(architecture_of(platform.machine()), SilentProgress())
    sleeper = ["cyclictest", "--policy=other", "-t1", "-v", f"-i{1_000_000 // RATE}", f"-l{count}"]
    load = os.getloadavg()[0]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(sleeper, stdout=subprocess.PIPE, text=True) as other,
    ):
        words = ["media", "1", "0", folder, "100", str(count), str(RATE), "buffered", "0"]
        own = subprocess.run([probe, *words], stdout=subprocess.PIPE, text=True, check=True)
        theirs = other.communicate()[0]
    rows = re.findall(r"^(\d+) (\d+)$", own.stdout, re.MULTILINE)
    late = [float(since) - float(took) for took, since in rows]
    slept = [float(us) for us in re.findall(r"^ *0: *\d+: *(\d+)", theirs, re.MULTILINE)]
    if len(late) != count or len(slept) != count:
        sys.exit(f"{len(late)} frames and {len(slept)} sleeps of {count}")
    writer, cyclictest = nearest(late), nearest(slept)
    print(
        f"load {load:.1f} to {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, {count} frames"
    )
    print(f"99.9 %: writer {writer:.0f} us, cyclictest {cyclictest:.0f} us late")
    return int(writer > cyclictest + MOST_US)


if __name__ == "__main__":
    sys.exit(main())
