# SPDX-License-Identifier: Apache-2.0
"""The guide next to programs that people know, and guides of one machine next to each other.

    python benchmarks/guide.py beside           five turns of each row and its program, in turn
    python benchmarks/guide.py pairs [COUNT]    so many quick guides of this machine, by pairs

`beside` measures what is installed of fio, iperf3, mbw, perf, stress-ng and cyclictest; a ratio is
the guide's median over the program's. `pairs` prints the rows that `compare` calls changed.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

from perfboard.analysis.compare.comparison import compare
from perfboard.store.folder import find_run
from perfboard.store.reading import load_run

TURNS = 5
PERFBOARD = (sys.executable, "-m", "perfboard.cli.main")


@dataclass(frozen=True)
class Beside:
    """A metric of a measure, and a command whose output has the same by the pattern's group."""

    measure: str
    metric: str
    labels: Mapping[str, str]
    command: tuple[str, ...]
    pattern: str
    # The metric's value of the program's number.
    value: Callable[[float], float]
    given: tuple[str, ...] = ()


def rows(folder: Path) -> list[Beside]:
    """The rows of which a program is known; files go to `folder`."""
    file = f"--filename={folder}/fio"
    fio = ("fio", "--name=x", file, "--size=8M", "--ioengine=psync", "--output-format=json")
    quick = ("--with", "quick=true", "--with", f"folder={folder}", "--with", "file=8")
    return [
        Beside(
            "disk.sequential",
            "disk.read.bandwidth",
            {"mode": "direct", "block": "1 MiB"},
            (*fio, "--rw=read", "--bs=1M", "--direct=1"),
            r'"read" : \{[^}]*?"bw_bytes" : (\d+)',
            float,
            quick,
        ),
        Beside(
            "disk.sync",
            "disk.sync.overwrite.operations",
            {"mode": "buffered", "block": "4 KiB", "depth": "1"},
            (*fio, "--rw=write", "--bs=4k", "--fsync=1", "--overwrite=1", "--number_ios=256"),
            r'"write" : \{.*?"iops" : ([0-9.]+)',
            float,
            ("--with", f"folder={folder}", "--with", "file=1"),
        ),
        Beside(
            "memory.copy",
            "memory.copy.bandwidth",
            {"method": "memcpy", "loop": "libc", "size": "4 MiB"},
            ("mbw", "-q", "-n", "20", "-t0", "4"),
            r"AVG\s+Method: MEMCPY.*Copy: ([0-9.]+) MiB/s",
            lambda mib: mib * 2**20,
        ),
        Beside(
            "ipc.pipe",
            "ipc.pipe.latency",
            {"placement": "same"},
            ("taskset", "-c", "0", "perf", "bench", "sched", "pipe", "-l", "100000"),
            r"([0-9.]+) usecs/op",
            lambda us: us / 1e6,
        ),
        Beside(
            "latency.wake",
            "latency.wake.late",
            {"load": "idle", "of": "50 %"},
            ("cyclictest", "-q", "-t1", "-p80", "-i500", "-l10000", "-a0", "-m"),
            r"Avg:\s+(\d+)",
            lambda us: us / 1e6,
            ("--with", "loads=idle"),
        ),
    ]


def measured(row: Beside) -> float | None:
    """The median of the row's metric by a run of its own; None: there is none."""
    command = (*PERFBOARD, "measure", row.measure, *row.given, "--json")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        return None
    for metric in json.loads(done.stdout)["metrics"]:
        if metric["name"] == row.metric and row.labels.items() <= metric["labels"].items():
            return float(median(metric["samples"]))
    return None


def by_program(row: Beside) -> float | None:
    """The program's own number."""
    done = subprocess.run(row.command, capture_output=True, text=True, check=False)
    found = re.search(row.pattern, done.stdout + done.stderr, re.DOTALL)
    return row.value(float(found[1])) if found else None


def beside() -> None:
    with folder_of_mine() as folder:
        for row in rows(folder):
            program = row.command[3] if row.command[0] == "taskset" else row.command[0]
            if shutil.which(program) is None:
                print(f"{row.metric}: {program} is not installed")
                continue
            ours, theirs = [], []
            for _ in range(TURNS):
                one, other = measured(row), by_program(row)
                if one and other:
                    ours.append(one)
                    theirs.append(other)
            if ours:
                ratio = median(ours) / median(theirs)
                words = f"{median(ours):.4g} beside {median(theirs):.4g}, {len(ours)} turns"
                print(f"{row.metric}: {ratio:.3f} of {program}'s ({words})")
            else:
                print(f"{row.metric}: not measured by both")


@contextmanager
def folder_of_mine() -> Iterator[Path]:
    """A folder on the disk of this one, removed afterwards."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        yield Path(name)


def pairs(count: int) -> None:
    runs = []
    for number in range(count):
        command = (*PERFBOARD, "measure", "guide", "--quick", "--json")
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        run = load_run(find_run(json.loads(done.stdout)["id"]))
        took = (run.finished - run.started).total_seconds()
        print(f"guide {number + 1} of {count}: {run.id}, {took:.0f} s", flush=True)
        runs.append(run)
    changed = 0
    for before, after in combinations(runs, 2):
        for area in compare(before, after).areas:
            for each in (*area.worse, *area.better):
                changed += 1
                print(f"{before.id} to {after.id}: {area.title}: {each.name} {each.labels}")
    print(f"{changed} rows are called changed in {count * (count - 1) // 2} pairs")


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["beside"]
    if what == "pairs":
        pairs(int(more[0]) if more else 7)
    else:
        beside()
