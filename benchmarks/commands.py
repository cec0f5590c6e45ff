# SPDX-License-Identifier: Apache-2.0
"""The processor time of commands that people wait for: `python benchmarks/commands.py`.

Prints that of each, its own and the system's, the least of several runs, and how many times that
is of `python -c "import pydantic"` in the same rounds. What is imported is made up, the same in
every run: a kernel's log of 25 kB, and one of 1 MB. Runs and cache lie in folders of their own.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

_ROUNDS = 7
_PYDANTIC = "import pydantic"


def kernel_log(size: int) -> str:
    """The log of a boot until init, as long as that; its first lines are another's."""
    chance = random.Random(size)  # noqa: S311
    ends = [
        "VFS: Mounted root (squashfs filesystem) readonly on device 31:2.",
        "Freeing unused kernel image (initmem) memory: 1024K",
        "Run /sbin/init as init process",
    ]
    lines: list[str] = []
    t_us = written = 0

    def record(text: str) -> None:
        nonlocal written
        lines.append(f"[{t_us // 10**6:5}.{t_us % 10**6:06}] {text}\n")
        written += len(lines[-1])

    record("Linux version 6.1.0 (build@host) (gcc 12.2.0) #1 SMP PREEMPT")
    record("Machine model: Camera")
    while written < size - 100 * len(ends):
        name, took_us = f"driver_{len(lines)}_init+0x0/0x1c", chance.randrange(900)
        record(f"calling  {name} @ 1")
        t_us += took_us
        record(f"initcall {name} returned 0 after {took_us} usecs")
        t_us += chance.randrange(20_000)
        record(f"usb {len(lines) % 4}-1: new high-speed USB device number 2 using dwc_otg")
    for text in ends:
        t_us += 5_000
        record(text)
    return "".join(lines)


def processor_s(command: list[str], folder: Path) -> float:
    """The seconds that the command took of a processor, its own and the system's."""
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        # An installed program is compiled.
        "PYTHONDONTWRITEBYTECODE": "",
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=environment, cwd=folder, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Runs the commands in turn, so that what disturbs one of them disturbs all alike."""
    commands = {_PYDANTIC: [sys.executable, "-c", _PYDANTIC]}
    words = (
        *("import 1M.log", "import 25k.log", "runs", "show latest", "report latest"),
        *("boards", "boards show verdex", "profiles", "measures", "studies", "--help"),
    )
    for each in words:
        commands[each] = [sys.executable, "-m", "perfboard.cli.main", *each.split()]
    least: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "25k.log").write_text(kernel_log(25_000))
        (folder / "1M.log").write_text(kernel_log(1_000_000))
        for number in range(_ROUNDS + 1):
            for each, command in commands.items():
                if each == "runs":
                    # What was imported is known by then, as to a user who looks again.
                    processor_s(command, folder)
                took_s = processor_s(command, folder)
                # The first round compiles, and reads from disk.
                if number:
                    least[each] = min(took_s, least.get(each, took_s))
    print(f"{'command':<20}{'processor':>10}{'of pydantic':>13}")
    for each, took_s in least.items():
        print(f"{each:<20}{took_s:>8.2f} s{took_s / least[_PYDANTIC]:>13.1f}")


if __name__ == "__main__":
    main()
