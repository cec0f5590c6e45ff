# SPDX-License-Identifier: Apache-2.0
"""Damaged logs: a boot that holds together, or an error in words.

`python -m tests.unit.importers.test_mutated 100000` tries as many.
"""

import random
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from perfboard.analysis.boot.metrics import metrics_of
from perfboard.importers.base import ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer, importers
from perfboard.model.errors import UsageError
from tests.support.boots import hold
from tests.support.recorded import DATA

SEEDS = 1000
LOGS = [path.read_bytes() for path in sorted((DATA / "import").glob("*.log"))]
USABLE = ("", "", "", "login:", "crng init done", "nothing like it", "^$", ".")
PIECES = (
    *(b"99999999999999999999999", b"-1", b"18446744073.709551", b"00:00:00", b"23:59:60.999"),
    *(b"[  OK  ] Started ", b"Restarting system\r\n", b"Linux version 6.6", b"U-Boot 2024.01 (x)"),
    *(b"\r", b"\n", b"\0", b"\x1b[", b"\xff\xfe", b"{", b"}", b'"', b"[", b"]", b"\b" * 9, b"  "),
    *(
        b"2026-02-30T25:61:61.123456",
        b"Feb 30 24:00:00",
        b"\xe2\x90\x8d",
        b"NaN",
        b"1e999",
        b"null",
    ),
    *(b"[99999.999999] ", b"[    0.000000] ", b"- {", b"Hit any key to stop autoboot:  1 "),
)


def mutated(chance: random.Random) -> bytes:
    """A log with a few damages, of any form."""
    lines = chance.choice(LOGS).splitlines(keepends=True)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        at = chance.randrange(len(lines)) if lines else 0
        match chance.randrange(9):
            case 0:
                del lines[at : at + chance.choice([1, 1, 5, 50])]
            case 1:
                lines[at:at] = lines[chance.randrange(len(lines) + 1) :][: chance.choice([1, 9])]
            case 2:
                chance.shuffle(lines)
            case 3:
                other = chance.choice(LOGS).splitlines(keepends=True)
                lines[at:at] = other[: chance.choice([1, 9, 99])]
            case 4:
                lines = lines[:at] or lines
            case 5:
                lines = [line for line in lines for _ in range(chance.choice([1, 1, 2]))][:400]
            case _ if lines:
                line = lines[at]
                place = chance.randint(0, min(len(line), chance.choice([40, 400])))
                cut = place + chance.choice([0, 0, 1, 3, 20])
                lines[at] = line[:place] + chance.choice(PIECES) + line[cut:]
    data = b"".join(lines)
    if chance.random() < 0.2:
        size = chance.randint(0, len(data))
        damaged = bytearray(data[:size])
        for _ in range(size // 100):
            damaged[chance.randrange(size)] = chance.randrange(256)
        data = bytes(damaged)
    return data


def try_one(seed: int, folder: Path) -> str:
    """The importer's name, or why there is none."""
    chance = random.Random(seed)
    path = folder / "boot.log"
    path.write_bytes(mutated(chance))
    file = SavedFile(path)
    format = chance.choice([""] * 9 + list(importers()))
    try:
        importer = choose_importer(file, format)
        made = importer.read(file, ImportOptions(usable=chance.choice(USABLE)))
    except UsageError as error:
        assert str(error)
        return "refused"
    assert made.boots and all(note and note[-1] == "." for note in made.notes)
    for boot in made.boots:
        hold(boot)
        assert boot.marks
    assert all(sample >= 0 for metric in metrics_of(made.boots) for sample in metric.samples)
    return importer.name


@pytest.mark.parametrize("first", range(0, SEEDS, 250))
def test_a_damaged_log_is_read_or_refused(first: int, tmp_path: Path) -> None:
    found = Counter(try_one(seed, tmp_path) for seed in range(first, first + 250))
    assert len(found) > 5


if __name__ == "__main__":
    began, count = time.monotonic(), int(sys.argv[1])
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 10**6
    with TemporaryDirectory() as name:
        found = Counter(try_one(seed, Path(name)) for seed in range(start, start + count))
    took_s = time.monotonic() - began
    sys.stdout.write(f"{count} files in {took_s:.0f} s: {dict(found.most_common())}\n")
