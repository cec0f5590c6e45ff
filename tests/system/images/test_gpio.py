# SPDX-License-Identifier: Apache-2.0
"""The driver that marks a boot on a GPIO line, on Debian's kernel, at a line that is watched."""

import re
import subprocess
import time
from itertools import pairwise
from pathlib import Path

from perfboard.images.kernel.module import build_module, read_tree
from perfboard.images.packages.apt import AptState
from perfboard.images.root.entries import read_entries, write_cpio
from perfboard.model.progress import SilentProgress
from tests.support.captures import vcd

from ..conftest import Perfboard

EMULATOR = ("qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53", "-m", "256")
CHIP = "9030000.pl061"
LINE = 5
SETS = re.compile(rf"@(\d+\.\d+):pl061_set_output \S+ setting output {LINE} to ([01])")
INIT = f"""\
#!/bin/busybox sh
b=/bin/busybox
load="$b insmod /perfboard_gpio.ko"
if [ "$1" != again ]; then
    $b mount -t proc p /proc; $b mount -t sysfs s /sys; $b mount -t devtmpfs d /dev
    $b mount -t debugfs d /sys/kernel/debug
    $load; $load chip=none; $load chip={CHIP} line=8
    $load chip={CHIP} line={LINE} || $b poweroff -f
    exec /init again
fi
$b cat /sys/kernel/debug/gpio
$b sleep 0.1
echo almost
echo usable > /dev/perfboard_gpio
echo system usable
$b sleep 0.1
$b rmmod perfboard_gpio && $load chip={CHIP} line={LINE} && echo loaded again
$b dmesg | $b grep -E 'WARNING|BUG|Call trace'
$b poweroff -f
"""


def _kernel(folder: Path) -> tuple[Path, Path]:
    """Debian's kernel for arm64, and the folder of its headers."""
    state, here = AptState("arm64", SilentProgress()), AptState("amd64", SilentProgress())
    control = (state.unpack("linux-image-arm64") / "DEBIAN/control").read_text()
    named = re.search(r"linux-image-((\d+\.\d+)\.\S+)-arm64", control)
    assert named is not None
    release, series = named[1], named[2]
    (folder / "usr/src").mkdir(parents=True)
    (folder / "usr/lib").mkdir()
    kbuild = here.unpack(f"linux-kbuild-{series}") / f"usr/lib/linux-kbuild-{series}"
    (folder / f"usr/lib/linux-kbuild-{series}").symlink_to(kbuild)
    for kind in ("common", "arm64"):
        name = f"linux-headers-{release}-{kind}"
        # Their links lead to what is beside them.
        source = state.unpack(name) / "usr/src" / name
        subprocess.run(["cp", "-a", str(source), str(folder / "usr/src")], check=True)
    headers = folder / f"usr/src/linux-headers-{release}-arm64"
    makefile = headers / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src", f"{folder}/usr/src"))
    image = state.unpack(f"linux-image-{release}-arm64") / f"boot/vmlinuz-{release}-arm64"
    return image, headers


def _root(folder: Path, module: Path) -> Path:
    """An initramfs with busybox, the driver, and `INIT`."""
    busybox = AptState("arm64", SilentProgress()).unpack("busybox-static") / "bin/busybox"
    for name in ("bin", "proc", "sys", "dev"):
        (folder / name).mkdir(parents=True)
    for source, name in ((busybox, "bin/busybox"), (module, module.name)):
        (folder / name).write_bytes(source.read_bytes())
    (folder / "init").write_text(INIT)
    for name in ("bin/busybox", "init"):
        (folder / name).chmod(0o755)
    archive = folder.with_suffix(".cpio")
    archive.write_bytes(write_cpio(read_entries(folder, ())))
    return archive


def test_its_edges_are_on_one_timeline_with_the_console(
    perfboard: Perfboard, tmp_path: Path
) -> None:
    image, headers = _kernel(tmp_path)
    module, release = build_module("gpio", read_tree(headers), tmp_path, SilentProgress())
    assert release.endswith("-arm64")
    root, trace = _root(tmp_path / "root", module), tmp_path / "trace"
    options = ["-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio"]
    options += ["-kernel", str(image), "-initrd", str(root), "-msg", "timestamp=on"]
    options += ["-append", "console=ttyAMA0 loglevel=4", "-trace", "pl061_set_output"]
    console: list[tuple[float, str]] = []
    with trace.open("w") as traced:
        emulator = subprocess.Popen(
            [*EMULATOR, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=traced,
            text=True,
        )
        try:
            for line in emulator.stdout or ():
                console.append((time.time(), line.rstrip()))
            assert emulator.wait(60) == 0
        finally:
            emulator.kill()
            emulator.wait()
    said = "\n".join(line for _, line in console)
    assert "give the chip's label" in said
    assert 'line 0 of chip "none" cannot be had: there is no such chip' in said
    assert f'line 8 of chip "{CHIP}" cannot be had: is it a line of that chip?' in said
    assert re.search(r"perfboard_gpio +\) out lo", said)
    assert "loaded again" in said and "WARNING" not in said and "BUG" not in said
    sets = [(float(at), level) for at, level in SETS.findall(trace.read_text())]
    # Before the driver sets it, the emulator resets it.
    edges = [each for before, each in pairwise(sets) if before[1] != each[1]]
    # It starts, process 1 runs a program, and a program writes; then it is unloaded, and starts.
    assert [level for _, level in edges[:3]] == ["1", "0", "1"]
    places = [round((at - edges[0][0] + 0.001) * 1e9) for at, _ in edges]
    (tmp_path / "pins.vcd").write_bytes(vcd({"pin": places}))
    log = "".join(f"{at:.6f} {line}\n" for at, line in console)
    (tmp_path / "console.log").write_text(log)
    words = ["--channel", "pin=gpio.start/init.again/usable", "--usable", "system usable"]
    run = perfboard.json(
        "import", str(tmp_path / "pins.vcd"), str(tmp_path / "console.log"), *words
    )
    (timeline,) = [each for each in run["results"] if each["kind"] == "timeline"]
    pins, log_clock = timeline["clocks"]
    assert (pins["name"], log_clock["common"]) == ("pins.vcd", ["usable"])
    # Both instruments have this machine's clock: so it is known when the kernel's own began.
    records = (re.match(r"\[ *(\d+\.\d+)\]", line) for _, line in console)
    began = min(at - float(each[1]) for (at, _), each in zip(console, records, strict=True) if each)
    (zero,) = [mark for mark in timeline["marks"] if mark["name"] == "kernel.clock"]
    assert zero["clocks"] == ["console.log"]
    assert abs((began - edges[0][0]) * 1e9 - zero["t_ns"]) <= zero["error_ns"] < 1e9
