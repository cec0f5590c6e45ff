# SPDX-License-Identifier: Apache-2.0
"""Runs as the standard study makes them, for tests: every metric, by a model of a machine."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, Literal

from perfboard.model.results.measures import Measurement, MeasuresResult
from perfboard.model.results.probes import ProbeProcess
from perfboard.model.run import BoardSummary, Evidence, Metric, Provenance, Run, Status

SIZES = tuple(
    size for power in range(10, 28) for size in (2**power, 3 * 2 ** (power - 1)) if size <= 2**27
)
CACHES = (32 * 1024, 1024 * 1024, 24 * 1024 * 1024)
LEVELS_S = (1.3e-9, 4.5e-9, 24e-9, 95e-9)
# The graphs that a report of such a run has, in their order.
GRAPHS = (
    "Memory read latency over size",
    "Memory bandwidth over size",
    "Context switch time over the number of processes",
    "Mapped and read files: time over size",
    "Mapped and read files: bandwidth over size",
    "How late a timer wakes",
)
_GROUPS = {"cpu": "Processor", "file": "Files", "ipc": "Between processes"}
PROCESSES = 5
SAMPLES = 4


def miss_share(ratio: float) -> float:
    """The share of misses of a cycle `ratio` times as large as a cache that replaces at random.

    A line outlives a cycle with the chance that none of the misses m x/S replaces
    it: m = 1 - exp(-m x/S), which has a solution above 0 where x > S.
    """
    if ratio <= 1:
        return 0.0
    share = 1.0
    for _ in range(200):
        share = 1 - math.exp(-share * ratio)
    return share


def latency(
    size: int, caches: tuple[int, ...] = CACHES, levels_s: tuple[float, ...] = LEVELS_S
) -> float:
    """Seconds a read takes in a random cycle over `size` bytes."""
    steps = zip(caches, pairwise(levels_s), strict=True)
    return levels_s[0] + sum((b - a) * miss_share(size / cache) for cache, (a, b) in steps)


Unit = Literal["s", "B", "B/s", "1/s", "1"]
Row = tuple[str, Unit, dict[str, str], float, str | None]


def _memory() -> Iterator[Row]:
    for size in SIZES:
        of = {"size": str(size)}
        for pages in ("small", "huge"):
            reach = 1.0 if pages == "huge" else 1 + 0.3 * miss_share(size / 2**21)
            for walk, factor in (("random", 1.0), ("local", 0.8)):
                labels = of | {"stride": "64", "walk": walk, "pages": pages}
                yield "memory.latency", "s", labels, latency(size) * factor * reach, "lat_mem_rd"
            for stride in (64, 256, 1024, 4096):
                if size < 4 * stride:
                    continue
                time = LEVELS_S[0] + (latency(size) - LEVELS_S[0]) * stride / 5000
                labels = of | {"stride": str(stride), "walk": "stride", "pages": pages}
                yield "memory.latency", "s", labels, time * reach, "lat_mem_rd"
        rate = 64 / latency(size) * 3
        operations = {"read": 1.0, "write": 0.7, "update": 0.6, "copy": 0.45}
        for (operation, share), alias in zip(
            operations.items(), ("frd", "fwr", "rdwr", "fcp"), strict=True
        ):
            loops = {"avx512": rate * share}
            if operation in ("write", "copy"):
                loops["avx512-stream"] = 9e9 * share
            for loop, value in loops.items():
                labels = of | {"operation": operation, "loop": loop}
                labels |= {"counts": "once"} if operation == "copy" else {}
                yield "memory.bandwidth", "B/s", labels, value, f"bw_mem {alias}"
    for size in SIZES[8::6]:
        of = {"size": str(size)}
        for method, share in (("memcpy", 1.0), ("dumb", 0.8), ("block", 0.95)):
            labels = of | {"method": method, "counts": "once"}
            copied = "bw_mem bcopy" if method == "memcpy" else None
            yield "memory.copy.bandwidth", "B/s", labels, share * 30 / latency(size), copied
    for size in SIZES[12::4]:
        of = {"size": str(size)}
        rate = 40 / latency(size)
        yield "memory.map.bandwidth", "B/s", of | {"touch": "sum"}, rate * 0.4, "bw_mmap_rd"
        yield "memory.map.bandwidth", "B/s", of | {"touch": "page"}, rate * 2, "bw_mmap_rd"
        yield "memory.map.fault", "s", of, 4.2e-7, None
        yield "file.read.bandwidth", "B/s", of | {"touch": "sum"}, rate * 0.5, "bw_file_rd"
        yield "file.read.bandwidth", "B/s", of | {"touch": "none"}, rate, "bw_file_rd"
    for kind, time in (("anonymous", 3.1e-7), ("file", 4.0e-7)):
        yield "memory.fault", "s", {"kind": kind}, time, None
    yield "memory.tmpfs.bandwidth", "B/s", {"size": "8388608"}, 2.2e9, None


def _others() -> Iterator[Row]:
    for place, factor in (("same", 1.0), ("cross", 1.6)):
        for name in ("pipe", "unix"):
            labels = {"block": "65536", "placement": place}
            yield f"ipc.{name}.bandwidth", "B/s", labels, 3e9 / factor, f"bw_{name}"
        for name in ("pipe", "fifo", "unix"):
            labels = {"placement": place}
            yield f"ipc.{name}.latency", "s", labels, 4.4e-6 * factor, f"lat_{name}"
    for size in (0, 16384, 65536):
        for processes in (2, 4, 8, 16, 24, 32, 64, 96):
            labels = {"processes": str(processes), "size": str(size)}
            time = 1.1e-6 + size * 2e-11 * (1 + miss_share(processes * (size + 4096) / CACHES[1]))
            yield "ipc.switch", "s", labels, time, "lat_ctx"
    for name, time, alias in (
        ("syscall", 9e-8, "lat_syscall null"),
        ("signal.install", 1.6e-7, "lat_sig install"),
        ("signal.deliver", 9e-7, "lat_sig catch"),
        ("fork", 8.1e-5, "lat_proc fork"),
        ("exec", 3.3e-4, "lat_proc exec"),
        ("timer.resolution", 1e-9, None),
    ):
        yield f"kernel.{name}", "s", {}, time, alias
    yield "cpu.bogomips", "1", {}, 4999.99, None
    yield "cpu.clock", "1/s", {}, 3.1e9, None
    for kind in ("int32", "int64", "float", "double"):
        for operation, cycles in (("add", 1), ("multiply", 3), ("divide", 14)):
            labels = {"operation": operation, "type": kind}
            yield "cpu.operation.latency", "s", labels, cycles / 3.1e9, None
            yield "cpu.operation.throughput", "1/s", labels, 3.1e9 * 2 / cycles, None
    yield "cpu.branch.miss", "s", {}, 5.5e-9, None
    yield "system.kernel.image", "B", {"form": "compressed"}, 11_440_128, None
    yield "system.modules", "B", {}, 61_000_000, None
    yield "system.ram.kernel", "B", {}, 94_371_840, None
    yield "system.ram.available", "B", {}, 7.1e9, None
    yield "system.boot.init", "s", {}, 1.94, None


def probe_metrics(seed: int = 1, slower: Mapping[str, float] | None = None) -> tuple[Metric, ...]:
    """All metrics, with noise within and between processes; `slower` multiplies by name."""
    noise = random.Random(seed)
    found = []
    for name, unit, labels, value, alias in (*_memory(), *_others()):
        value *= (slower or {}).get(name, 1.0)
        samples: list[float] = []
        processes: list[int] = []
        steady = unit in ("B", "1") or name.startswith("system.")
        for process in range(PROCESSES):
            middle = value if steady else value * math.exp(noise.gauss(0, 0.01))
            for _ in range(1 if steady else SAMPLES):
                odd = 1.6 if not steady and noise.random() < 0.005 else 1.0
                samples.append(middle if steady else middle * odd * math.exp(noise.gauss(0, 0.003)))
                processes.append(process)
        better: Literal["lower", "higher"] = "lower"
        if unit in ("B/s", "1/s") or name in ("cpu.bogomips", "system.ram.available"):
            better = "higher"
        found.append(
            Metric(
                name=name,
                group=_GROUPS.get(first := name.partition(".")[0], first.capitalize()),
                unit=unit,
                labels=labels,
                better=better,
                samples=tuple(samples),
                processes=tuple(processes),
                alias=alias,
            )
        )
    late = tuple(5.2e-5 * math.exp(abs(noise.gauss(0, 0.5))) for _ in range(PROCESSES * 200))
    found.append(
        Metric(
            name="kernel.timer.lateness",
            group="Kernel",
            unit="s",
            labels={"interval": "0.001"},
            samples=late,
            processes=tuple(i // 200 for i in range(len(late))),
        )
    )
    return tuple(found)


def probe_processes() -> tuple[ProbeProcess, ...]:
    """Processes of three probes, one of which is refused."""
    found = []
    for round in range(PROCESSES):
        for probe in ("memory.latency", "ipc.switch"):
            found.append(
                ProbeProcess(
                    probe=probe,
                    round=round,
                    elapsed_s=1.2,
                    cpu=round % 2,
                    clock="monotonic_raw",
                    tick_s=1e-9,
                    cost_s=2.4e-8,
                    disturbances={
                        "involuntary_switches": round,
                        "steal_s": 0.01 if round == 2 else 0,
                        "clock_step_s": 0,
                        "frequency_before_hz": 3.1e9,
                        "frequency_after_hz": 3.0e9,
                        "temperature_c": 51 + round,
                    },
                    notes=("no huge pages to be had",) if round == 1 else (),
                )
            )
    found.append(
        ProbeProcess(
            probe="memory.tmpfs",
            round=0,
            elapsed_s=0.1,
            refused="no /dev/shm: No such file or directory",
        )
    )
    return tuple(found)


def measured_by(processes: Sequence[ProbeProcess]) -> MeasuresResult:
    """What a run has of these processes: a measurement a probe."""
    probes = dict.fromkeys(process.probe for process in processes)
    measurements = tuple(Measurement(measure=probe) for probe in probes)
    return MeasuresResult(measurements=measurements, processes=tuple(processes))


def make_probe_run(id: str = "20261121-120000-standard-local-77aa", **fields: Any) -> Run:
    """A complete run of the standard study on the machine that ran it."""
    started = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    content: dict[str, Any] = {
        "id": id,
        "study": "standard",
        "board": BoardSummary(
            name="bench",
            title="bench",
            description="A machine with three caches.",
            facts={
                "kernel": "6.1.0",
                "governor": "performance",
                "mitigations": "spectre_v2: on",
                "caches": "L1d 32 KiB (CPU 0), L2 1 MiB (CPU 0), L3 24 MiB (CPU 0-3)",
            },
        ),
        "target": "local",
        "evidence": Evidence.HOST,
        "status": Status.COMPLETE,
        "started": started,
        "finished": started + timedelta(seconds=58),
        "provenance": Provenance(
            perfboard="0.1.0",
            command=("perfboard", "study", "standard", "--target", "local"),
            host={"machine": "x86_64"},
            notes=("Stopped after 5 rounds: the time budget of 60 s was spent.",),
        ),
        "metrics": fields.pop("metrics", None) or probe_metrics(),
        "results": (measured_by(fields.pop("processes", probe_processes())),),
    }
    return Run(**(content | fields))
