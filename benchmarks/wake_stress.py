# SPDX-License-Identifier: Apache-2.0
"""Loads perfboard_wake into a 64-bit Arm kernel, and has four threads do random things with it.

    python benchmarks/wake_stress.py [--operations N]
    python benchmarks/wake_stress.py --kernel vmlinuz --module perfboard_wake.ko

Without a kernel it builds one with KASAN and lockdep, which takes minutes. Prints what the first
process said, and every report of the kernel's; its exit status is 1 where there is one, or where
something went wrong.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

from perfboard.cli.progress import progress
from perfboard.host.files.scratch import scratch_folder
from perfboard.images.kernel.build import build_kernel
from perfboard.images.packages.apt import AptState
from perfboard.model.board.architecture import ARCHITECTURES

_HERE = Path(__file__).parent
_DRIVER = _HERE.parent / "native" / "kernel"
_ARM64 = next(arch for arch in ARCHITECTURES if arch.name == "arm64")
_OPTIONS = (
    *("SMP", "PREEMPT", "MULTIUSER", "HIGH_RES_TIMERS", "NO_HZ_IDLE", "PRINTK", "TTY"),
    *("SERIAL_AMBA_PL011", "SERIAL_AMBA_PL011_CONSOLE", "BLK_DEV_INITRD", "RD_GZIP"),
    *("BINFMT_ELF", "DEVTMPFS", "PROC_FS", "DEBUG_FS", "FUTEX", "MMU", "SHMEM", "TMPFS"),
    *("KASAN", "KASAN_GENERIC", "KASAN_INLINE", "PROVE_LOCKING", "DEBUG_ATOMIC_SLEEP"),
    *("DEBUG_KERNEL", "DEBUG_OBJECTS", "DEBUG_OBJECTS_TIMERS"),
    *("STACKTRACE", "KALLSYMS", "BUG", "POSIX_TIMERS", "SLUB", "PM", "ARM_PSCI_FW"),
)
# A kernel that has both says so.
_CHECKS = re.compile(r"KernelAddressSanitizer initialized|Lock dependency validator")
_REPORT = re.compile(
    r"BUG:|KASAN:|WARNING:|INFO: (?:possible|task|lockdep)|Oops|Call trace:|Kernel panic"
)
_MOST_S = 3600


def main() -> int:
    options = _options()
    with scratch_folder() as folder:
        kernel, module = options.kernel, options.module
        if kernel is None:
            kernel, module = _checked_kernel(folder)
        initrd = _initrd(folder, module)
        command = [
            *("qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a57", "-smp", "4"),
            *("-m", "1024", "-kernel", str(kernel), "-initrd", str(initrd), "-no-reboot"),
            *("-display", "none", "-serial", "stdio", "-monitor", "none", "-nic", "none"),
            "-append",
            f"console=ttyAMA0 kasan_multi_shot panic=-1 loglevel=8 operations={options.operations}",
        ]
        began = time.monotonic()
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_MOST_S, check=False
        )
    lines = done.stdout.decode(errors="replace").splitlines()
    said = [line for line in lines if line.startswith("stress:")]
    checks = [line for line in lines if _CHECKS.search(line)]
    reports = [line for line in lines if _REPORT.search(line)]
    print("\n".join([*checks, *said]))
    print("\n".join(reports) or "no report of the kernel's")
    print(f"{time.monotonic() - began:.0f} s")
    whole = bool(said) and said[-1] == "stress: end"
    if reports or not whole:
        print("\n".join(lines[-80:]))
    return int(bool(reports) or not whole or any("accepted 0," not in x for x in _counts(said)))


def _counts(said: list[str]) -> list[str]:
    return [line for line in said if "operations" in line]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", type=Path)
    parser.add_argument("--module", type=Path)
    parser.add_argument("--operations", type=int, default=100_000)
    options = parser.parse_args()
    if (options.kernel is None) != (options.module is None):
        parser.error("--kernel and --module go together")
    return options


def _checked_kernel(folder: Path) -> tuple[Path, Path]:
    fragment = folder / "checked.config"
    fragment.write_text("".join(f"CONFIG_{name}=y\n" for name in _OPTIONS))
    extra = {"CONFIG_MODULES": "y", "CONFIG_MODULE_UNLOAD": "y", "CONFIG_PERFBOARD_WAKE": "m"}
    packages = AptState("arm64", progress())
    built = build_kernel(_ARM64, packages, "linux-source-6.1", fragment, progress(), extra)
    (module,) = (built / "modules").glob("*/perfboard_wake.ko")
    return built / _ARM64.kernel_name, module


def _initrd(folder: Path, module: Path) -> Path:
    root = folder / "root"
    root.mkdir()
    compiler = [f"{_ARM64.triplet}-gcc", "-static", "-O2", "-Wall", "-pthread", f"-I{_DRIVER}"]
    subprocess.run([*compiler, "-o", str(root / "init"), str(_HERE / "wake_stress.c")], check=True)
    (root / module.name).write_bytes(module.read_bytes())
    names = f"init\n{module.name}\n".encode()
    packed = subprocess.run(
        ["cpio", "--create", "--format=newc", "--quiet"],
        cwd=root,
        input=names,
        capture_output=True,
        check=True,
    )
    path = folder / "initrd"
    path.write_bytes(packed.stdout)
    return path


if __name__ == "__main__":
    sys.exit(main())
