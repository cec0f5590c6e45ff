# SPDX-License-Identifier: Apache-2.0
"""How late the watcher of a display sees the last pixel, next to a program that tells when it drew.

usage: python benchmarks/display.py [--tasks N] [--loads N]

The program draws a square every 250 ms, and its last one at a time of 10 to 2000 ms. It notes the
time before it asks the server for a square, and after the server has answered. Then it draws at 10
ms, and once more 400 or 900 ms later, after the watcher has learnt what its picture is.
Bars: 95 % of the last pixels are seen within 2 ms of when they were asked for, and none before. All
that drew late is seen to its end, or refused. Exit code 1 where one is missed. Run it on an idle
machine. It takes 4 minutes, and needs Debian's gcc, xvfb and matchbox-window-manager.
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
from pathlib import Path

from perfboard.binaries.probe import architecture_of, find_binary
from perfboard.model.progress import SilentProgress

NATIVE = Path(__file__).parents[1] / "native" / "display"
PAINTER = Path(__file__).parents[1] / "tests" / "native" / "display" / "painter.c"
STEP_MS = 250
LATER_MS = (400, 900)
MOST_NS = 2e6
SHARE = 0.95
TASK = re.compile(r"^@task (\S+) ok began=(\d+) first=\d+ final=\d+ stable=(\d+) ", re.MULTILINE)
REFUSED = re.compile(r"^@task (\S+) refused .* hash=\w+ (.*)$", re.MULTILINE)


def percentile(samples: Sequence[int], share: float) -> int:
    """The percentile by nearest rank."""
    return sorted(samples)[math.ceil(share * len(samples)) - 1]


def main() -> int:
    """Paints and watches, and says how late the watcher was."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--loads", type=int, default=10)
    options = parser.parse_args()
    watcher = find_binary(architecture_of(platform.machine()), SilentProgress(), "display")
    lasts = [10 + 1990 * number // (options.tasks - 1) for number in range(options.tasks)]
    names = [
        *(f"task{number}" for number in range(options.tasks)),
        *(f"later{t}" for t in LATER_MS),
    ]
    plan = []
    for number, last in enumerate(lasts):
        words = " ".join(map(str, (*range(10, last, STEP_MS), last)))
        plan += [f"start task{number} ./painter task{number} {words}", "end"]
    for later in LATER_MS:
        paint = f"./painter later{later} 10 {10 + later}"
        plan += [f"reference later{later}", *(f"?start known {paint}", "end") * 6]
        plan += (f"start later{later} {paint}", "end") * options.loads
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiler = ("gcc", "-std=c11", "-O2", "-D_GNU_SOURCE", "-I.", "-o", folder / "painter")
        subprocess.run([*compiler, PAINTER, "clock.c"], cwd=NATIVE, check=True)
        lines = "".join(f"{line}\n" for line in plan)
        done = subprocess.run(
            [watcher, "1024", "768"], cwd=folder, input=lines, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"the watcher ended with {done.returncode}: {done.stdout[-300:]}{done.stderr}")
        drawn = {each: _drawn(folder / each) for each in names}
    seen = [(label, int(began) + int(stable)) for label, began, stable in TASK.findall(done.stdout)]
    late = [time - drawn[label][-1] for label, time in seen if label.startswith("task")]
    ends = {f"later{later}": drawn[f"later{later}"][1::2] for later in LATER_MS}
    print(f"load {load:.1f} to {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    shares = ", ".join(f"{100 * s:g} % {percentile(late, s) / 1e6:.2f}" for s in (0.5, SHARE, 1))
    early = sum(one < 0 for one in late)
    print(f"{len(late)} of {len(lasts)} tasks: {shares} ms late; {early} early")
    cut_off = 0
    for label, whole in ends.items():
        # A time before the last square would be a false end.
        own = [time for each, time in seen if each == label]
        right = [time for time in own if any(0 <= time - end < 1e8 for end in whole)]
        cut_off += len(own) - len(right)
        print(f"{label}: {len(right)} of {options.loads} seen to their end, {len(own)} accepted")
    for label, reason in REFUSED.findall(done.stdout):
        print(f"{label} refused: {reason}")
    return int(bool(early or cut_off) or percentile(late, SHARE) > MOST_NS)


def _drawn(path: Path) -> list[int]:
    """When each square was asked for."""
    return [int(line.split()[0]) for line in path.read_text().splitlines()]


if __name__ == "__main__":
    sys.exit(main())
