# SPDX-License-Identifier: Apache-2.0
"""The probes of processes, the kernel and the system, compiled with sanitizers and run briefly.

What they give depends on the machine; what is checked is what holds on every machine.
"""

import json
import os
import platform
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from .compiler import compile_sources, probe_sources

# Not what measures memory: it takes long to compile, and has tests of its own.
_OTHERS = (
    *("loops/", "measure/chase", "measure/fresh", "measure/memory_", "measure/scratch"),
    *("probes/cpu/", "probes/files/", "probes/memory/"),
)
_PLACEMENTS = {"same", "cross", "cluster", "free"}


@dataclass
class Said:
    """What a process printed, sorted."""

    metrics: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def of(self, name: str, **labels: str) -> list[float]:
        """The samples of the one metric of that name and those labels."""
        (found,) = (one for one in self.metrics[name] if one["labels"] == labels)
        return list(found["samples"])


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = probe_sources(without=_OTHERS)
    return compile_sources(tmp_path_factory.mktemp("native") / "probe", *sources)


@pytest.fixture
def run(program: Path, tmp_path: Path) -> Callable[..., Said]:
    """Runs a probe in a folder of its own, where it is to leave nothing."""

    def run(probe: str, *words: str, limits: Callable[[], None] | None = None) -> Said:
        folder = tmp_path / "folder"
        folder.mkdir(exist_ok=True)
        done = subprocess.run(
            [program, probe, "--seconds", "0.05", *words],
            cwd=folder,
            capture_output=True,
            check=False,
            timeout=60,
            preexec_fn=limits,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert done.stderr == b""
        assert list(folder.iterdir()) == []
        return _sort(done.stdout)

    return run


def _sort(output: bytes) -> Said:
    lines = [json.loads(line) for line in output.decode("ascii").splitlines()]
    assert "process" in lines[0]
    assert "end" in lines[-1]
    said = Said()
    for line in lines[1:-1]:
        match line:
            case {"metric": name, "samples": samples}:
                assert samples
                said.metrics.setdefault(name, []).append(line)
            case {"fact": name, "value": value}:
                said.facts[name] = value
            case {"note": note}:
                said.notes.append(note)
            case {"refused": reason}:
                said.refused.append(reason)
            case _:
                pytest.fail(f"a line of no known kind: {line}")
    return said


def _limit(kind: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (most, most))


@pytest.mark.parametrize("probe", ["ipc.pipe", "ipc.unix"])
def test_a_pair_measures_both_quantities_where_both_processes_have_a_place(
    run: Callable[..., Said], probe: str
) -> None:
    said = run(probe)
    assert said.refused == []
    assert set(said.metrics) == {f"{probe}.latency", f"{probe}.bandwidth"}
    places = [metric["labels"]["placement"] for metric in said.metrics[f"{probe}.latency"]]
    assert len(places) == len(set(places)) and "same" in places and set(places) <= _PLACEMENTS
    for placement in ("cross", "cluster"):
        (note,) = (note for note in said.notes if note.startswith(f"placement={placement}: "))
        assert ("processors " in note) == (placement in places), note
    for metric in said.metrics[f"{probe}.latency"]:
        assert (metric["unit"], metric["better"]) == ("s", "lower")
        assert metric["alias"] == "lat_" + probe[4:]
        assert all(0 < sample < 1 for sample in metric["samples"])
    for metric, place in zip(said.metrics[f"{probe}.bandwidth"], places, strict=True):
        assert (metric["unit"], metric["better"]) == ("B/s", "higher")
        assert metric["labels"] == {"placement": place, "block": "65536"}
        assert metric["alias"] == "bw_" + probe[4:]
        assert all(1e4 < sample < 1e12 for sample in metric["samples"])


def test_one_processor_leaves_one_placement(run: Callable[..., Said]) -> None:
    one = min(os.sched_getaffinity(0))
    said = run("ipc.pipe", limits=lambda: os.sched_setaffinity(0, {one}))
    assert [metric["labels"] for metric in said.metrics["ipc.pipe.latency"]] == [
        {"placement": "same"}
    ]
    assert said.notes == [
        "placement=cross: no second core of the cluster that this process may use",
        "placement=cluster: no core of another cluster that this process may use",
    ]


def test_a_processor_that_is_not_there_is_refused(run: Callable[..., Said]) -> None:
    said = run("ipc.pipe", "--cpu", "1023")
    assert not said.metrics
    if len(os.sched_getaffinity(0)) > 1:
        assert said.refused == ["ipc.pipe.latency: this process cannot be pinned: Invalid argument"]


def test_a_fifo_is_measured_and_leaves_no_name(run: Callable[..., Said]) -> None:
    said = run("ipc.fifo")
    assert said.refused == []
    assert all(sample > 0 for sample in said.of("ipc.fifo.latency", placement="same"))
    assert said.metrics["ipc.fifo.latency"][0]["alias"] == "lat_fifo"


def test_a_folder_without_fifos_is_refused_with_the_reason(program: Path) -> None:
    done = subprocess.run(
        [program, "ipc.fifo", "--seconds", "0.05"],
        cwd="/proc",
        capture_output=True,
        check=True,
    )
    said = _sort(done.stdout)
    assert not said.metrics
    assert said.refused
    for reason in said.refused:
        assert reason.startswith("ipc.fifo.latency placement=")
        assert "no FIFO can be made in the current directory: " in reason


@pytest.mark.parametrize("probe", ["ipc.pipe", "ipc.unix", "ipc.tcp", "ipc.fifo", "ipc.switch"])
def test_no_descriptor_left_is_refused_with_the_reason(
    run: Callable[..., Said], probe: str
) -> None:
    said = run(probe, limits=_limit(resource.RLIMIT_NOFILE, 4))
    assert not said.metrics
    assert said.refused
    assert all("Too many open files" in reason for reason in said.refused)


def test_a_switch_is_measured_by_processes_and_working_set(run: Callable[..., Said]) -> None:
    said = run("ipc.switch", "--seconds", "1")
    points = {
        (int(metric["labels"]["processes"]), int(metric["labels"]["size"]))
        for metric in said.metrics["ipc.switch"]
    }
    assert len(points) == len(said.metrics["ipc.switch"])
    assert {(2, 0), (4, 0), (8, 0), (16, 0), (2, 4096), (2, 16384)} <= points
    assert {metric["alias"] for metric in said.metrics["ipc.switch"]} == {"lat_ctx"}
    (counted,) = (note for note in said.notes if "switches a hop" in note)
    least = float(counted.split()[3])
    assert 0.9 < least < 3


def test_rings_stay_within_the_room(run: Callable[..., Said]) -> None:
    room = 2 << 20
    said = run("ipc.switch", "--room", str(room), "--seconds", "0.5")
    points = {
        (int(metric["labels"]["processes"]), int(metric["labels"]["size"]))
        for metric in said.metrics["ipc.switch"]
    }
    assert (2, 4096) in points
    assert max(processes for processes, _ in points) <= 8
    assert all(processes * size <= room // 2 for processes, size in points)
    assert any("2048 KiB of room" in note for note in said.notes)
    assert any("only 8 processes could be started" in reason for reason in said.refused)
    assert any(
        reason.startswith("ipc.switch: size 262144") and "not in the room" in reason
        for reason in said.refused
    )


def _wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.02)
    pytest.fail("it did not happen")


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def started(program: Path, tmp_path: Path) -> Iterator[Callable[[str], psutil.Process]]:
    processes: list[psutil.Popen] = []

    def start(probe: str) -> psutil.Process:
        process = psutil.Popen(
            [program, probe, "--seconds", "60"], cwd=tmp_path, stdout=subprocess.DEVNULL
        )
        processes.append(process)
        _wait_until(lambda: bool(process.children()))
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.mark.parametrize(
    "probe", ["ipc.switch", "ipc.pipe", "ipc.unix", "ipc.tcp", "ipc.connect", "ipc.fifo"]
)
def test_a_probe_that_is_killed_leaves_no_process_and_no_file(
    started: Callable[[str], psutil.Process], tmp_path: Path, probe: str
) -> None:
    process = started(probe)
    children = process.children()
    process.send_signal(signal.SIGKILL)
    _wait_until(lambda: not any(map(_lives, children)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("probe", ["ipc.switch", "ipc.pipe"])
def test_a_second_process_that_ends_is_a_refusal(program: Path, tmp_path: Path, probe: str) -> None:
    with psutil.Popen(
        [program, probe, "--seconds", "2"], cwd=tmp_path, stdout=subprocess.PIPE
    ) as process:
        _wait_until(lambda: bool(process.children()))
        process.children()[-1].kill()
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    reasons = _sort(output).refused
    assert any("process ended" in reason or "cannot be pinned" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("probe", "aliases"),
    [
        ("kernel.syscall", {"kernel.syscall": "lat_syscall null"}),
        (
            "kernel.signal",
            {
                "kernel.signal.install": "lat_sig install",
                "kernel.signal.deliver": "lat_sig catch",
                "kernel.signal.protect": "lat_sig prot",
            },
        ),
        (
            "kernel.calls",
            {
                f"kernel.syscall.{call}": f"lat_syscall {call}"
                for call in ("read", "write", "fstat", "stat", "open")
            },
        ),
        ("kernel.shell", {"kernel.shell": "lat_proc shell"}),
        ("ipc.connect", {"ipc.connect": "lat_connect"}),
        ("kernel.fork", {"kernel.fork": "lat_proc fork"}),
        ("kernel.exec", {"kernel.exec": "lat_proc exec"}),
    ],
)
def test_what_the_kernel_takes(
    run: Callable[..., Said], probe: str, aliases: dict[str, str]
) -> None:
    said = run(probe)
    assert said.refused == []
    assert {name: metrics[0]["alias"] for name, metrics in said.metrics.items()} == aliases
    for name in aliases:
        (metric,) = said.metrics[name]
        assert all(-1 < sample < 10 for sample in metric["samples"])
        # Both ends of this difference are long, and a busy machine's noise is longer.
        if name != "kernel.signal.protect":
            assert sorted(metric["samples"])[len(metric["samples"]) // 2] > 0


def test_a_call_by_a_name_says_how_many_parts_it_has(
    run: Callable[..., Said], program: Path
) -> None:
    said = run("kernel.calls")
    for name in ("kernel.syscall.stat", "kernel.syscall.open"):
        assert said.of(name, components=str(len(program.resolve().parts) - 1))


def test_a_select_is_of_200_descriptors_of_each_kind(run: Callable[..., Said]) -> None:
    said = run("kernel.select")
    assert said.refused == []
    labels = [metric["labels"] for metric in said.metrics["kernel.select"]]
    assert labels == [{"kind": kind, "descriptors": "200"} for kind in ("tcp", "file")]
    assert all(
        sample > 0 for metric in said.metrics["kernel.select"] for sample in metric["samples"]
    )


def test_a_select_of_too_few_descriptors_is_refused(run: Callable[..., Said]) -> None:
    said = run("kernel.select", limits=_limit(resource.RLIMIT_NOFILE, 100))
    assert not said.metrics
    assert len(said.refused) == 2
    assert all("no descriptor: Too many open files" in reason for reason in said.refused)


def test_tcp_is_measured_at_each_place(run: Callable[..., Said]) -> None:
    said = run("ipc.tcp")
    assert said.refused == []
    metrics = said.metrics["ipc.tcp.latency"]
    places = [metric["labels"]["placement"] for metric in metrics]
    assert "same" in places and set(places) <= _PLACEMENTS and len(places) == len(set(places))
    assert {metric["alias"] for metric in metrics} == {"lat_tcp"}


def _semaphores() -> set[str]:
    rows = Path("/proc/sysvipc/sem").read_text().splitlines()[1:]
    return {row.split()[1] for row in rows}


def test_semaphores_are_measured_and_removed(run: Callable[..., Said]) -> None:
    before = _semaphores()
    said = run("ipc.semaphore")
    assert said.refused == []
    assert all(0 < sample < 1 for sample in said.of("ipc.semaphore", placement="same"))
    places = {metric["labels"]["placement"] for metric in said.metrics["ipc.semaphore"]}
    assert places == ({"same", "free"} if len(os.sched_getaffinity(0)) > 1 else {"same"})
    assert _semaphores() <= before


def test_semaphores_of_a_probe_that_is_killed_are_removed(program: Path) -> None:
    before = _semaphores()
    process = _with_a_child([program, "ipc.semaphore"])
    process.kill()
    process.communicate()
    _wait_until(lambda: _semaphores() <= before)


def test_semaphores_whose_second_process_ends_are_a_refusal(program: Path) -> None:
    process = _with_a_child([program, "ipc.semaphore"])
    for child in process.children():
        child.kill()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert any("process ended" in reason for reason in _sort(output).refused)


def _with_a_child(command: list[str | Path]) -> psutil.Popen:
    """A probe that has one. It takes a tenth of a second: on a busy machine several are tried."""
    for _ in range(50):
        process = psutil.Popen(command, stdout=subprocess.PIPE)
        while _lives(process):
            if process.children():
                return process
        process.communicate()
    pytest.fail("each probe was over before it was looked at")


def _no_second_process() -> None:
    """Root may start as many as it likes: it first becomes a user who has no other."""
    if os.geteuid():
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        return
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    os.setgroups([])
    os.setresgid(54321, 54321, 54321)
    os.setresuid(54321, 54321, 54321)


@pytest.mark.parametrize(
    "probe", ["kernel.fork", "kernel.exec", "kernel.shell", "ipc.connect", "ipc.pipe", "ipc.switch"]
)
def test_a_fork_that_fails_is_refused_with_the_reason(program: Path, probe: str) -> None:
    # By its descriptor, since that user cannot enter the tests' folder. The leak check forks.
    with program.open("rb") as file:
        done = subprocess.run(
            [f"/proc/self/fd/{file.fileno()}", probe, "--seconds", "0.05"],
            pass_fds=[file.fileno()],
            cwd="/",
            env={"ASAN_OPTIONS": "detect_leaks=0"},
            capture_output=True,
            check=True,
            preexec_fn=_no_second_process,
        )
    said = _sort(done.stdout)
    assert not said.metrics
    assert said.refused
    assert all("Resource temporarily unavailable" in reason for reason in said.refused)


def test_timers_are_late_and_never_early(run: Callable[..., Said]) -> None:
    said = run("kernel.timer", "--seconds", "0.2")
    assert all(sample > 0 for sample in said.of("kernel.timer.resolution"))
    late = said.of("kernel.timer.lateness", interval="0.001", policy="other")
    assert 2 <= len(late) <= 200
    assert {m["alias"] for m in said.metrics["kernel.timer.lateness"]} == {"lat_usleep"}
    assert all(sample >= 0 for sample in late)
    policies = {metric["labels"]["policy"] for metric in said.metrics["kernel.timer.lateness"]}
    if policies == {"other"}:
        (reason,) = said.refused
        assert reason.startswith("kernel.timer.lateness policy=fifo: ")
    else:
        assert policies == {"other", "fifo"}


def test_the_kernels_size_and_its_modules(run: Callable[..., Said]) -> None:
    said = run("system.kernel")
    image = Path(f"/boot/vmlinuz-{platform.release()}")
    if image.is_file():
        assert said.of("system.kernel.image", form="compressed") == [image.stat().st_size]
    else:
        assert any("form=compressed" in reason for reason in said.refused)
    modules = Path(f"/lib/modules/{platform.release()}")
    files = [path for path in modules.rglob("*.ko*") if path.is_file() and not path.is_symlink()]
    if modules.is_dir():
        assert said.of("system.modules", what="files") == [
            sum(path.stat().st_size for path in files)
        ]
    else:
        assert f"system.modules what=files: {modules}: No such file or directory" in said.refused


def _system_ram() -> int:
    bytes_ = 0
    for line in Path("/proc/iomem").read_text().splitlines():
        if line.endswith(" : System RAM"):
            first, last = (int(part, 16) for part in line.split(" : ")[0].split("-"))
            bytes_ += last - first + 1
    return bytes_


def test_memory_is_what_meminfo_says(run: Callable[..., Said]) -> None:
    said = run("system.memory")
    total = psutil.virtual_memory().total
    assert 0 < said.of("system.ram.available", by="free+cache")[0] < total
    assert 0 < said.of("system.ram.available", by="MemAvailable")[0] <= total
    if "system.ram.kernel" in said.metrics:
        (ram,) = (int(note.split()[-2]) for note in said.notes if note.startswith("RAM by "))
        assert said.of("system.ram.kernel") == [ram - total]
        if "RAM by /proc/iomem: " in str(said.notes):
            assert ram == _system_ram()
    else:
        assert any("system.ram.kernel" in reason for reason in said.refused)


def test_boot_marks_are_those_of_the_log_or_refused(run: Callable[..., Said]) -> None:
    said = run("system.boot")
    assert set(said.metrics) <= {
        f"system.boot.{mark}" for mark in ("root.mounted", "kernel.freed", "init.exec")
    }
    times = [metrics[0]["samples"][0] for metrics in said.metrics.values()]
    assert all(0 <= seconds < time.clock_gettime(time.CLOCK_BOOTTIME) for seconds in times)
    assert bool(said.metrics) != bool(said.refused)


def test_facts_are_those_of_this_machine(run: Callable[..., Said]) -> None:
    facts = run("system.facts").facts
    assert facts["machine"] == platform.machine()
    assert facts["kernel"] == platform.release()
    assert facts["kernel version"] == platform.version()
    assert facts["host"] == platform.node()
    assert facts["processors"] == str(len(os.sched_getaffinity(0)))
    assert facts["page size"] == str(resource.getpagesize())
    assert facts["memory"] == f"{psutil.virtual_memory().total // 1024} KiB"
    assert facts["command line"] == Path("/proc/cmdline").read_text().rstrip("\n")[:1799]
    for path in Path("/sys/devices/system/cpu/vulnerabilities").glob("*"):
        said = path.read_text().strip()
        assert facts.get(f"mitigation {path.name}") == (None if said == "Not affected" else said)
