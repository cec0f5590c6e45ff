# SPDX-License-Identifier: Apache-2.0
"""What each refusal costs: the processor time of a command that is wrong, before any work.

    python benchmarks/refusals.py

The bar is 1 s each, with all that a command imports; it is the least of three. The unknown package
needs Debian's lists in the cache, as they are after any `perfboard try`.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

BAR_S, ROUNDS = 1.0, 3
REAL = """
schema = "perfboard.board/1"
name = "shelf"
title = "A board"
description = "A board."
target = "serial:///dev/null"
usable = "login:"
reset = "/nonexistent"
price = 19
"""
LABELS = """
schema = "perfboard.profile/2"
[profile]
name = "mine"
device = "A device"
for = "Nobody"
[[key_issue]]
name = "record"
question = "Is it fast enough?"
measure = "media.record"
metric = "media.record.rate"
labels = { stream = "recrd" }
budget = ">= 25 1/s"
"""
LINE = "study boot --target serial:///dev/null --usable login: "
NEW = "boards new mine --like rpi2 --root root.squashfs "
REFUSED = (
    "tune boot --board verdex --max-flash 4",
    "tune boot --board verdex --max-flash 4B",
    "study bringup --folder /nonexistent",
    "measure disk.dd --with folder=/nonexistent",
    "measure boot",
    "measure memory.application",
    "measure memory.application --board rpi2 --with command=sleep --with packages=nonesuch",
    "measure --target local --target virtual:rpi2",
    "try rpi2 --package nonesuch -- true",
    "choose media-recorder --price foo=3",
    "choose ./labels.toml",
    "choose media-recorder --board ./real.toml",
    "gate --measure rpi2 local",
    "gate --pairs 6",
    LINE + "--channel D0=kernel.entry",
    "study boot --target serial:///dev/null --usable exec:app",
    NEW + "--kernel /bin/ls",
    NEW + "--kernel zImage --system-map /etc/passwd",
    NEW + "--kernel zImage --usable exec:app",
)


def cost(words: list[str], folder: Path) -> tuple[int, float, str]:
    """The exit code of the command, its processor time in s, and its first words."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "perfboard.cli.main", *words],
        cwd=folder,
        # As users have it, the compiled modules are kept.
        env={**os.environ, "XDG_DATA_HOME": f"{folder}/data", "PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
    )
    now = os.times()
    spent = now.children_user + now.children_system
    return done.returncode, spent - before.children_user - before.children_system, done.stderr


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "real.toml").write_text(REAL)
        (folder / "labels.toml").write_text(LABELS)
        (folder / "root.squashfs").write_bytes(b"hsqs" + bytes(5000))
        (folder / "zImage").write_bytes(bytes(0x24) + b"\x18\x28\x6f\x01" + bytes(9_000_000))
        for line in REFUSED:
            found = [cost(line.split(), folder) for _ in range(ROUNDS)]
            seconds = min(each[1] for each in found)
            code, _, words = found[0]
            missed = code != 2 or seconds >= BAR_S
            wrong += missed
            print(f"{seconds:5.2f} s  exit {code}  {line}{'  MISSED' if missed else ''}")
            print(f"    {words.splitlines()[-1][:90] if words else ''}")
        if (folder / "data" / "perfboard" / "runs").exists():
            print("a run was begun")
            wrong += 1
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
