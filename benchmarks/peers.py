# SPDX-License-Identifier: Apache-2.0
"""The probe's figures beside those of the distribution's tools, from one run.

usage: python benchmarks/peers.py [--repetitions N] [--budget SECONDS] [--only TEXT]

Each repetition runs `perfboard study standard --target local`, and then every peer
that is installed: mbw, sysbench, stress-ng, fio and perf bench. For each quantity
that both measure it prints the median over the repetitions, ours over the peer's,
and how far each varied: from the least to the greatest, as a share of the median.
Run it on an idle machine, as a user who may use SCHED_FIFO (or that row is absent).
"""

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perfboard.model.run import Metric, Run
from perfboard.model.units import format_value

MIB = 1 << 20
PERFBOARD = Path(sys.executable).with_name("perfboard")


@dataclass
class Row:
    """One quantity: which metric is ours, which command is the peer's, and how it says it."""

    peer: str
    command: Sequence[str]
    metric: str
    labels: dict[str, str]
    read: Callable[[str], float]
    note: str = ""
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)


def number(pattern: str, scale: float = 1.0, power: int = 1) -> Callable[[str], float]:
    """Reads the greatest (a limit is sought) match of `pattern` out of a peer's output."""

    def read(output: str) -> float:
        found = [float(text) for text in re.findall(pattern, output)]
        if not found:
            raise ValueError(f"no {pattern!r} in what it printed: {output[-300:]!r}")
        return max(found) ** power * scale

    return read


def fio_rate(direction: str) -> Callable[[str], float]:
    def read(output: str) -> float:
        return float(json.loads(output)["jobs"][0][direction]["bw_bytes"])

    return read


def rows(folder: Path) -> list[Row]:
    """What is compared. fio works in `folder`, and in /dev/shm."""
    same = ("taskset", "--cpu-list", "0")
    fio = ("fio", "--name=peer", "--bs=64k", "--output-format=json")
    cached = (f"--directory={folder}", "--rw=read", "--size=16M", "--invalidate=0")
    copied = {"size": str(64 * MIB)}

    def mbw(method: int, name: str) -> Row:
        command = ("mbw", "-n", "10", "-t", str(method), "64")
        read = number(r"AVG.*Copy: ([\d.]+) MiB/s", MIB)
        return Row("mbw", command, "memory.copy.bandwidth", {"method": name, **copied}, read)

    def sysbench(size: int, operation: str) -> Row:
        command = (
            *("sysbench", "memory", f"--memory-block-size={size}"),
            *("--memory-total-size=1000G", f"--memory-oper={operation}", "--time=2", "run"),
        )
        read = number(r"\(([\d.]+) MiB/sec\)", MIB)
        labels = {"operation": operation, "size": str(size)}
        note = "reads or writes 8 bytes at a time" if size == MIB else ""
        return Row("sysbench memory", command, "memory.bandwidth", labels, read, note)

    def memrate(operation: str) -> Row:
        command = ("stress-ng", "--memrate", "1", "--memrate-bytes", "64M", "-t", "4", "--metrics")
        read = number(rf"([\d.]+) {operation}\w* MB per sec", MIB)
        labels = {"operation": operation, "size": str(64 * MIB)}
        note = f"the best of its {operation} methods"
        return Row("stress-ng memrate", command, "memory.bandwidth", labels, read, note)

    return [
        mbw(0, "memcpy"),
        mbw(1, "dumb"),
        mbw(2, "block"),
        Row(
            "perf bench mem",
            ("perf", "bench", "mem", "memcpy", "--size", "64MB", "--nr_loops", "20"),
            "memory.bandwidth",
            {"operation": "copy", **copied},
            number(r"([\d.]+) GB/sec", 1 << 30),
            "the best of its functions",
        ),
        sysbench(MIB, "read"),
        sysbench(MIB, "write"),
        sysbench(1024, "read"),
        sysbench(1024, "write"),
        memrate("read"),
        memrate("write"),
        Row(
            "fio, sync",
            (*fio, *cached, "--ioengine=sync", "--loops=400"),
            "file.read.bandwidth",
            {"touch": "none", "size": str(16 * MIB)},
            fio_rate("read"),
        ),
        Row(
            "fio, mmap",
            (*fio, *cached, "--ioengine=mmap", "--loops=400"),
            "memory.map.bandwidth",
            {"touch": "sum", "size": str(16 * MIB)},
            fio_rate("read"),
            "maps once and copies many times: its faults are paid once; ours each time",
        ),
        Row(
            "fio to /dev/shm",
            (*fio, "--directory=/dev/shm", "--rw=write", "--size=16M", "--ioengine=sync"),
            "memory.tmpfs.bandwidth",
            {},
            fio_rate("write"),
        ),
        Row(
            "perf bench sched pipe",
            (*same, "perf", "bench", "sched", "pipe", "--loop", "200000"),
            "ipc.pipe.latency",
            {"placement": "same"},
            number(r"([\d.]+) usecs/op", 1e-6),
        ),
        Row(
            "stress-ng switch",
            (*same, "stress-ng", "--switch", "1", "--switch-method", "pipe", "-t", "2"),
            "ipc.switch",
            {"processes": "2", "size": "0"},
            number(r"([\d.]+) nanosecs per context switch", 1e-9),
            "includes the pipe; ours is less the pipe's own time",
        ),
        Row(
            "perf bench syscall",
            ("perf", "bench", "syscall", "basic", "--loop", "5000000"),
            "kernel.syscall",
            {},
            number(r"([\d.]+) usecs/op", 1e-6),
        ),
        Row(
            "stress-ng fork",
            ("stress-ng", "--fork", "1", "-t", "2", "--metrics"),
            "kernel.fork",
            {},
            number(r"fork +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)", 1.0, -1),
            "a larger process than ours",
        ),
        Row(
            "stress-ng cyclic",
            (
                *("stress-ng", "--cyclic", "1", "--cyclic-policy", "fifo"),
                *("--cyclic-method", "clock_ns", "--cyclic-sleep", "1000000", "-t", "2"),
            ),
            "kernel.timer.lateness",
            {"policy": "fifo"},
            number(r"50\.00%: +(\d+) ns", 1e-9),
        ),
    ]


def our_value(run: Run, row: Row) -> float | None:
    """The best matching metric's median: over processes, of their own medians."""
    found = [
        middle(metric)
        for metric in run.metrics
        if metric.name == row.metric and row.labels.items() <= metric.labels.items()
    ]
    if not found:
        return None
    better = next(metric.better for metric in run.metrics if metric.name == row.metric)
    return max(found) if better == "higher" else min(found)


def middle(metric: Metric) -> float:
    by_process: dict[int, list[float]] = {}
    for sample, process in zip(metric.samples, metric.processes, strict=True):
        by_process.setdefault(process, []).append(sample)
    return statistics.median(statistics.median(samples) for samples in by_process.values())


def spread(values: Sequence[float]) -> float:
    return (max(values) - min(values)) / statistics.median(values)


def repeat(compared: Sequence[Row], budget: str, said: str) -> None:
    """One repetition: our study, and then each peer once."""
    command = [str(PERFBOARD), "study", "standard", "--target", "local", "--budget", budget]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    run = Run.model_validate_json(done.stdout)
    outputs: dict[tuple[str, ...], str] = {}
    for row in compared:
        ours = our_value(run, row)
        if ours is None:
            continue
        print(f"\r{said}: {row.peer:<24}", end="", file=sys.stderr, flush=True)
        arguments = tuple(row.command)
        if arguments not in outputs:
            peer = subprocess.run(arguments, capture_output=True, text=True, check=False)
            outputs[arguments] = peer.stdout + (
                "" if "--output-format=json" in arguments else peer.stderr
            )
        try:
            row.theirs.append(row.read(outputs[arguments]))
            row.ours.append(ours)
        except ValueError as error:
            print(f"\n{row.peer}: {error}", file=sys.stderr)


def table(compared: Sequence[Row], unit_of: dict[str, str], better_of: dict[str, str]) -> None:
    print(
        f"{'quantity':<46} {'ours':>12} {'peer':>12} {'ours/peer':>9} "
        f"{'varies':>13}  {'better':<7} peer"
    )
    for row in compared:
        if not row.ours:
            continue
        unit = unit_of[row.metric]
        ours, theirs = statistics.median(row.ours), statistics.median(row.theirs)
        labels = ",".join(f"{name}={value}" for name, value in row.labels.items())
        print(
            f"{f'{row.metric} {labels}':<46} {format_value(ours, unit):>12} "
            f"{format_value(theirs, unit):>12} {ours / theirs:>9.3f} "
            f"{spread(row.ours):>5.1%} /{spread(row.theirs):>6.1%}  "
            f"{better_of[row.metric]:<7} {row.peer}{f' ({row.note})' if row.note else ''}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--budget", default="60", help="of our study, in seconds")
    parser.add_argument("--only", default="", help="peers whose name has this text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as name:
        compared = []
        for row in rows(Path(name)):
            missing = [word for word in (row.command[0], row.peer.split()[0]) if "," not in word]
            missing = [word for word in missing if not shutil.which(word.rstrip(","))]
            if missing:
                print(f"{row.peer}: {missing[0]} is not installed", file=sys.stderr)
            elif options.only in row.peer:
                compared.append(row)
        for number_ in range(options.repetitions):
            repeat(compared, options.budget, f"repetition {number_ + 1} of {options.repetitions}")
    print(file=sys.stderr)
    done = subprocess.run(
        [str(PERFBOARD), "show", "latest", "--json"], capture_output=True, text=True, check=True
    )
    run = Run.model_validate_json(done.stdout)
    table(
        compared,
        {metric.name: metric.unit for metric in run.metrics},
        {metric.name: metric.better for metric in run.metrics},
    )


if __name__ == "__main__":
    main()
