# SPDX-License-Identifier: Apache-2.0
"""What peers.py compares: for each quantity, our metric, and the peer's command and figure."""

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MIB = 1 << 20


@dataclass
class Row:
    """One quantity: which metric is ours, which command is the peer's, and how it says it."""

    peer: str
    command: Sequence[str]
    metric: str
    labels: dict[str, str]
    read: Callable[[str], float]
    note: str = ""
    wrong: str = ""
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
    # The probe takes the last of processors that are alike.
    same = ("taskset", "--cpu-list", str(max(os.sched_getaffinity(0))))
    fio = ("fio", "--name=peer", "--bs=64k", "--unlink=1", "--output-format=json")
    cached = (f"--directory={folder}", "--rw=read", "--size=16M", "--invalidate=0")
    copied = {"size": str(64 * MIB)}

    def mbw(method: int, name: str, *block: str, note: str = "", wrong: str = "") -> Row:
        command = ("mbw", "-n", "10", "-t", str(method), *block, "64")
        read = number(r"AVG.*Copy: ([\d.]+) MiB/s", MIB)
        labels = {"method": name, **copied}
        return Row("mbw", command, "memory.copy.bandwidth", labels, read, note, wrong)

    def sysbench(size: int, operation: str) -> Row:
        command = (
            *("sysbench", "memory", f"--memory-block-size={size}"),
            *("--memory-total-size=1000G", f"--memory-oper={operation}", "--time=2", "run"),
        )
        read = number(r"\(([\d.]+) MiB/sec\)", MIB)
        labels = {"operation": operation, "size": str(size)}
        note = (
            "8 bytes at a time"
            if size == MIB
            else "of a small block, what it does besides counts most"
        )
        return Row("sysbench memory", command, "memory.bandwidth", labels, read, note)

    def memrate(operation: str) -> Row:
        command = ("stress-ng", "--memrate", "1", "--memrate-bytes", "64M", "-t", "4", "--metrics")
        read = number(rf"([\d.]+) {operation}\w* MB per sec", MIB)
        labels = {"operation": operation, "size": str(64 * MIB)}
        note = f"the best of its {operation} methods"
        return Row("stress-ng memrate", command, "memory.bandwidth", labels, read, note)

    def bench_mem(name: str, operation: str) -> Row:
        command = ("perf", "bench", "mem", name, "--size", "64MB", "--nr_loops", "20")
        read = number(r"([\d.]+) GB/sec", 1 << 30)
        labels = {"operation": operation, **copied}
        note = f"the best of its functions for {name}"
        return Row("perf bench mem", command, "memory.bandwidth", labels, read, note)

    def floating(type: str, operation: str) -> Row:
        command = ("stress-ng", "--fp", "1", "-t", "4", "--metrics")
        read = number(rf"([\d.]+) Mfp-ops per sec, {type} {operation} ", 1e6)
        labels = {"operation": operation, "type": type, "form": "hardware"}
        return Row("stress-ng fp", command, "cpu.operation.throughput", labels, read)

    return [
        mbw(0, "memcpy"),
        mbw(1, "dumb"),
        # Its 1.2.2 moves on in what it writes, and not in what it reads: with one block as large
        # as the array it reads all of it, and with a small one the figure is a cache's.
        mbw(2, "block", wrong="reads its first 256 KiB again and again"),
        mbw(2, "block", "-b", str(64 * MIB), note="a block of 64 MiB, so that it reads all"),
        bench_mem("memcpy", "copy"),
        bench_mem("memset", "write"),
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
            (
                *(*fio, "--directory=/dev/shm", "--rw=write", "--ioengine=sync", "--nrfiles=16"),
                *("--size=256M", "--file_service_type=sequential", "--fallocate=none"),
            ),
            "memory.tmpfs.bandwidth",
            {"size": str(16 * MIB)},
            fio_rate("write"),
            "16 files, since it times whole ms; it is kept from taking the pages beforehand",
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
            (*same, "stress-ng", "--switch", "1", "--switch-method", "pipe", "-t2", "--metrics"),
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
        Row(
            "stress-ng nanosleep",
            ("stress-ng", "--nanosleep", "1", "-t", "2", "--metrics"),
            "kernel.timer.lateness",
            {"policy": "other"},
            number(r"([\d.]+) nanosec sleep overrun", 1e-9),
            "its mean, of sleeps up to 262 us by 8 threads; ours is the median of 1 ms alone",
        ),
        *(floating(t, o) for t in ("float", "double") for o in ("add", "multiply", "divide")),
    ]
