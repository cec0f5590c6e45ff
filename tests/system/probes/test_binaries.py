# SPDX-License-Identifier: Apache-2.0
"""The probe for every architecture, as it is shipped: its size, and that it runs.

Where an emulator runs it, what it measures says nothing and is not looked at. `make binaries` tries
the architectures that neither a virtual board nor this machine runs.
"""

import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from elftools.elf.elffile import ELFFile

from perfboard.binaries.probe import compiler_folder, find_binary
from perfboard.binaries.probe_build import ARCHITECTURES, command, source_folder
from perfboard.binaries.probes import all_probes
from perfboard.model.errors import TargetError
from perfboard.model.progress import SilentProgress
from perfboard.probes.exchange import Exchange
from perfboard.probes.records import read_probes, read_process
from perfboard.targets.pipe.process import Process

from ..conftest import EACH

_MOST_BYTES = 288_000
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
_PROBES = tuple(probe.name for probe in all_probes())
_EMULATED = set(ARCHITECTURES) - {"x86_64", "i686"}
# What may measure nothing, on which architectures.
_MAY_REFUSE = {
    # There need be no flash here that the kernel drives, no image of this kernel, and no right
    # to read its log.
    "flash.read": set(ARCHITECTURES),
    "system.kernel": set(ARCHITECTURES),
    "system.boot": set(ARCHITECTURES),
    # The program that runs, by /proc/self/exe, is the emulator, which starts no other's.
    "kernel.exec": _EMULATED,
    "kernel.shell": _EMULATED,
    # What an emulator does for a branch, or others on a busy machine, hides whether the processor
    # foresaw it.
    "cpu.branch": set(ARCHITECTURES),
    # It says facts, which are no metrics.
    "system.facts": set(ARCHITECTURES),
}
# Of a process that is over before it is looked at.
_TRIES = 50
# Enough for every probe, and little to fill under emulation.
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


@pytest.mark.parametrize("arch", EACH)
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


@pytest.mark.parametrize("arch", EACH)
def test_every_probe_measures(arch: str, tmp_path: Path) -> None:
    binary = _binary(arch)
    launcher = _launcher(arch, binary)
    listed = subprocess.run([*launcher, "list"], capture_output=True, text=True, check=True)
    assert tuple(one.name for one in read_probes(listed.stdout.splitlines())) == _PROBES
    for name in _PROBES:
        done = subprocess.run(
            [*launcher, name, "--seconds", "0.2", "--room", _ROOM],
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
        refused = report.process.refused or ""
        assert report.metrics or arch in _MAY_REFUSE.get(name, ()), f"{name}: {refused}"
        assert not any("could not be read" in note for note in report.process.notes), name
        assert "self-check" not in refused, name
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def loops(arch: str, tmp_path: Path) -> Path:
    """What looks at the loops over memory, compiled as the probe for `arch` is."""
    harness = Path(__file__).parents[2] / "native" / "probe" / "loops_harness.c"
    words = [word for word in command(arch) if not word.endswith(".c")]
    sources = sorted(map(str, source_folder().glob("loops/loops_*.c")))
    program = tmp_path / "loops"
    with compiler_folder(arch, SilentProgress()) as folder:
        kept = str(folder)
        subprocess.run(
            [sys.executable, "-m", *words, str(harness), *sources, "-o", str(program)],
            cwd=source_folder(),
            env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": kept, "ZIG_LOCAL_CACHE_DIR": kept},
            check=True,
        )
    return program


@pytest.mark.parametrize("arch", EACH)
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


def _resident_kib(process: int, mapped_often: bool) -> int:
    """What a process of the probe took at most, as the kernel counts it; 0 where it has ended.

    Of a process that maps a file `mapped_often`, only its own pages now: the kernel counts the
    file's as often as they are mapped, and its share (Pss) is no sum while it maps.
    """
    folder = Path(f"/proc/{process}")
    try:
        # Before its exec, a child has the memory of whoever started it.
        if (folder / "exe").readlink().name != "perfboard-probe":
            return 0
        text = (folder / "status").read_text()
    except OSError:
        return 0
    name = "RssAnon" if mapped_often else "VmHWM"
    row = re.search(rf"^{name}:\s*([0-9]+) kB$", text, re.MULTILINE)
    return int(row[1]) if row else 0


@pytest.mark.parametrize("probe", _PROBES)
def test_a_probe_takes_less_than_a_mebibyte_beyond_its_room(probe: str, tmp_path: Path) -> None:
    room = 1024 if probe.startswith("memory.") else 0
    words = [str(_native()), probe, "--seconds", "0.3", "--room", str(1 << 20)]
    most = 0
    for _ in range(_TRIES):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, cwd=tmp_path)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None:
            family = [process.pid, *map(int, children.read_text().split())]
            most = max(most, *(_resident_kib(one, probe == "memory.fault") for one in family))
            time.sleep(0.002)
        assert process.returncode == 0
        # Some end before they are seen.
        if most:
            break
    assert 0 < most < 1024 + room


def test_the_server_takes_less_than_a_mebibyte() -> None:
    server = Process([str(_native()), "serve"], lambda said: TargetError("lost", said))
    exchange = Exchange(server)
    try:
        exchange.hello()
        answer = exchange.run(f"run 30 memory.bandwidth --seconds 0.3 --room {_ROOM}", 30)
        assert len(answer.lines) > 20
        (pid,) = (p.pid for p in psutil.Process().children() if p.cmdline()[-1:] == ["serve"])
        assert 0 < _resident_kib(pid, False) < 1024
    finally:
        exchange.bye()
        server.close()


@pytest.mark.parametrize("probe", ["ipc.switch", "kernel.fork"])
def test_a_killed_probe_leaves_no_children(probe: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [_native(), probe, "--seconds", "60"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    # Read at once, and for long on a busy machine: the children of kernel.fork come and go.
    deadline = time.monotonic() + 60
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
