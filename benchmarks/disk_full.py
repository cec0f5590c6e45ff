# SPDX-License-Identifier: Apache-2.0
"""Commands on disks of each size from nothing to 2 MB: the runs, the cache, the temporary folder.

Each disk is a tmpfs in a mount namespace of this program's own, so it needs the right to mount.
The bar: exit code 3 with the right folder's name until all fits, then 0; each run that has begun
is `failed` or `complete`, and a run that was there before can be read.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.golden import unpack
from tests.support.serial_board import board_on_a_line

STEP = 16 << 10
MOST = 2 << 20
LEAST = 4 << 10  # a size of 0 would be no limit
MEASURE = ("measure", "kernel.syscall", "--budget", "1")
CONSOLE = b"U-Boot 2023.01\r\n" + b"printing, as boards do, line by line\r\n" * 8000 + b"ready\r\n"
PRIVATE = "PERFBOARD_DISK_FULL"


def perfboard(words: list[str], variables: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "perfboard.cli.main", *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def serial_boot(folder: Path, variables: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    reset = folder / "reset"
    reset.unlink(missing_ok=True)
    with board_on_a_line(reset, [CONSOLE]) as target:
        words = ["study", "boot", "--target", target, "--boots", "1", "--usable", "ready"]
        return perfboard([*words, "--reset", f"touch {reset}"], variables)


def faults(kind: str, disk: Path, code: int, text: str, runs: Path, before: str) -> list[str]:
    """What is wrong with a command that has ended, for which `runs` has the runs."""
    found = [f"exit code {code}"] if code not in (0, 3) else []
    if "Traceback" in text:
        found.append("a traceback")
    if code == 3 and str(disk) not in "".join(text.split()):
        found.append(f"{disk} is not named: {text[-400:]}")
    for folder in runs.iterdir() if runs.is_dir() else []:
        record = folder / "run.json"
        status = json.loads(record.read_text())["status"] if record.exists() else "unfinished"
        if status not in ("complete", "failed"):
            found.append(f"a run is {status}")
    if kind == "runs" and before and not (runs / before / "run.json").exists():
        found.append("the earlier run is gone")
    return found


def sweep(kind: str, command: str, place: Path, step: int) -> None:
    disk = place / kind
    good = 0
    for size in range(0, MOST + 1, step):
        disk.mkdir(exist_ok=True)
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={max(size, LEAST)}", "none", str(disk)],
            check=True,
        )
        try:
            data = disk if kind == "runs" else place / "data"
            runs = data / "perfboard/runs"
            before = ""
            if kind == "runs":
                try:
                    before = unpack("measure-local", runs).name
                except OSError:
                    shutil.rmtree(data / "perfboard", ignore_errors=True)
            cache = disk if kind == "cache" else place / "cache"
            variables = {"XDG_DATA_HOME": str(data), "XDG_CACHE_HOME": str(cache)}
            if kind == "temporary":
                shutil.rmtree(cache, ignore_errors=True)
                variables["TMPDIR"] = str(disk)
            if command == "serial":
                ended = serial_boot(place, variables)
            else:
                ended = perfboard(list(MEASURE), variables)
            text = ended.stdout + ended.stderr
            for fault in faults(kind, disk, ended.returncode, text, runs, before):
                print(f"{kind}, {command}, {size // 1024} KiB: {fault}", flush=True)
            if ended.returncode == 0 and not good:
                good = size
                print(f"{kind}, {command}: fits from {size // 1024} KiB on", flush=True)
            elif ended.returncode and good:
                print(f"{kind}, {command}, {size // 1024} KiB: {text[-300:]}", flush=True)
        finally:
            subprocess.run(["umount", str(disk)], check=True)
            shutil.rmtree(place / "data", ignore_errors=True)
    print(f"{kind}, {command}: done", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=STEP, help="the step of the sizes, in bytes")
    parser.add_argument("cases", nargs="*", help="KIND-COMMAND, such as runs-serial")
    chosen = parser.parse_args()
    if PRIVATE not in os.environ:
        words = ["unshare", "--mount", sys.executable, *sys.argv]
        sys.exit(subprocess.run(words, env=os.environ | {PRIVATE: "1"}, check=False).returncode)
    cases = ("runs-serial", "runs-measure", "cache-measure", "temporary-measure")
    with tempfile.TemporaryDirectory() as folder:
        for case in chosen.cases or cases:
            kind, _, command = case.partition("-")
            sweep(kind, command, Path(folder), chosen.step)


if __name__ == "__main__":
    main()
