# SPDX-License-Identifier: Apache-2.0
"""The probe for every architecture, as it is shipped: its size, and that it runs.

Where an emulator runs it, what it measures says nothing and is not looked at.
"""

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from elftools.elf.elffile import ELFFile

from perfboard.images.cache import cache_root
from perfboard.model.progress import SilentProgress
from perfboard.probes.binaries import find_binary
from perfboard.probes.build import ARCHITECTURES, command, source_folder
from perfboard.probes.records import read_applets, read_process

_MOST_BYTES = 150_000
_MACHINES = {
    "armv5te": ("EM_ARM", "arm"),
    "armv7": ("EM_ARM", "arm"),
    "aarch64": ("EM_AARCH64", "aarch64"),
    "i486": ("EM_386", "i386"),
    "i686": ("EM_386", "i386"),
    "x86_64": ("EM_X86_64", "x86_64"),
    "riscv64": ("EM_RISCV", "riscv64"),
    "mipsel": ("EM_MIPS", "mipsel"),
    "powerpc": ("EM_PPC", "ppc"),
}
# Emulated, the least processor that the binary is for, on which a later one's instruction is
# illegal. This machine's own would run it.
_LEAST = {"i486": "486", "armv5te": "arm926"}
_APPLETS = {
    *("memory.latency", "memory.bandwidth", "memory.copy", "memory.fault", "memory.map"),
    *("memory.random", "memory.tmpfs", "file.read", "flash.read"),
    *("ipc.pipe", "ipc.unix", "ipc.fifo", "ipc.switch"),
    *("kernel.syscall", "kernel.signal", "kernel.fork", "kernel.exec", "kernel.timer"),
    *("cpu.bogomips", "cpu.operation", "cpu.branch", "cpu.clock"),
    *("system.kernel", "system.memory", "system.boot", "system.facts"),
}
_NEVER_REFUSED = {"cpu.operation", "kernel.fork", "kernel.syscall", "kernel.timer"}
# Enough for every applet, and little to fill under emulation.
_ROOM = str(8 << 20)


def _binary(arch: str) -> Path:
    return find_binary(arch, SilentProgress())


def _launcher(arch: str, binary: Path) -> list[str]:
    """What runs a binary of `arch` here; skips where nothing does."""
    if platform.machine() == "x86_64" and arch in ("x86_64", "i686"):
        try:
            subprocess.run([binary, "list"], capture_output=True, check=True)
            return [str(binary)]
        except OSError:
            pass  # a kernel without 32-bit programs
    emulator = shutil.which(f"qemu-{_MACHINES[arch][1]}-static")
    if not emulator:
        pytest.skip(f"qemu-{_MACHINES[arch][1]}-static is not installed (qemu-user-static)")
    least = ["-cpu", _LEAST[arch]] if arch in _LEAST else []
    return [emulator, *least, str(binary)]


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_binary_is_small_static_and_of_its_machine(arch: str) -> None:
    path = _binary(arch)
    assert path.stat().st_size <= _MOST_BYTES
    with path.open("rb") as file:
        elf = ELFFile(file)
        assert elf["e_machine"] == _MACHINES[arch][0]
        assert elf["e_type"] == "ET_EXEC"
        kinds = {segment["p_type"] for segment in elf.iter_segments()}
    assert "PT_LOAD" in kinds
    assert not kinds & {"PT_INTERP", "PT_DYNAMIC"}


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_applet_runs(arch: str, tmp_path: Path) -> None:
    binary = _binary(arch)
    launcher = _launcher(arch, binary)
    listed = subprocess.run([*launcher, "list"], capture_output=True, text=True, check=True)
    names = {applet.name for applet in read_applets(listed.stdout.splitlines())}
    assert names == _APPLETS
    for name in sorted(names):
        done = subprocess.run(
            [*launcher, name, "--seconds", "0.05", "--room", _ROOM],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        lines = done.stdout.splitlines()
        assert done.returncode == 0, f"{name}: exit {done.returncode}\n{done.stdout[-2000:]}"
        assert '{"end":' in lines[-1], name
        assert f'"arch":"{arch}"' in lines[0], name
        report = read_process(name, 0, lines, "exit 0")
        assert report.metrics or report.facts or report.process.refused, name
        assert report.metrics or name not in _NEVER_REFUSED, report.process.refused
        assert not any("could not be read" in note for note in report.process.notes), name
        assert "self-check" not in (report.process.refused or ""), name
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def loops(arch: str, tmp_path: Path) -> Path:
    """What looks at the loops over memory, compiled as the probe for `arch` is."""
    harness = Path(__file__).parents[1] / "native" / "loops_harness.c"
    words = [word for word in command(arch) if not word.endswith(".c")]
    sources = sorted(path.name for path in source_folder().glob("loops_*.c"))
    program = tmp_path / "loops"
    kept = str(cache_root() / "ziglang")
    subprocess.run(
        [sys.executable, "-m", *words, "-I.", str(harness), *sources, "-o", str(program)],
        cwd=source_folder(),
        env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": kept, "ZIG_LOCAL_CACHE_DIR": kept},
        check=True,
    )
    return program


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_each_loop_touches_each_word_and_nothing_else(arch: str, loops: Path) -> None:
    done = subprocess.run(_launcher(arch, loops), capture_output=True, check=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert {loop["operation"] for loop in found} == {"read", "write", "update", "copy"}
    for loop in found:
        assert loop["contents"] and loop["within"], loop
        # The compiler may change the order of stores, each of which is in the contents.
        if loop["assembly"] or loop["operation"] != "write":
            assert loop["words"] == loop["of"], loop


def _native() -> Path:
    if platform.machine() != "x86_64":
        pytest.skip("runs the probe of x86_64")
    return _binary("x86_64")


def test_an_applet_without_a_buffer_takes_less_than_a_mebibyte() -> None:
    # Its own memory as the kernel counts it at the end; a child begins with none of ours.
    binary = _native()
    process = subprocess.Popen(
        [binary, "kernel.timer", "--seconds", "0.3"], stdout=subprocess.DEVNULL
    )
    most = 0
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        rows = dict(row.split(":", 1) for row in status.read_text().splitlines() if ":" in row)
        if rows.get("Name", "").strip() == binary.name[:15] and "VmHWM" in rows:
            most = max(most, int(rows["VmHWM"].split()[0]))
        time.sleep(0.01)
    assert process.returncode == 0
    assert 0 < most < 1024


@pytest.mark.parametrize("applet", ["ipc.switch", "kernel.fork"])
def test_a_killed_applet_leaves_no_children(applet: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [_native(), applet, "--seconds", "20"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 20
    # Read at once: the children of kernel.fork come and go.
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text():
        assert time.monotonic() < deadline
    process.send_signal(signal.SIGKILL)
    process.wait()
    while _session(process.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _session(process.pid)


def _session(number: int) -> list[int]:
    """The processes that are left of a session."""
    found = []
    for process in psutil.pids():
        try:
            if os.getsid(process) == number:
                found.append(process)
        except ProcessLookupError:
            continue
    return found
