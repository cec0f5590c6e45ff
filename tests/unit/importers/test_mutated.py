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
from tests.support.mutated_lines import mutated_lines
from tests.support.recorded import DATA

SEEDS = 1000
LOGS = [path.read_bytes() for path in sorted((DATA / "import").glob("*.log"))]
USABLE = ("", "", "", "login:", "crng init done", "nothing like it", "^$", ".")


def try_one(seed: int, folder: Path) -> str:
    """The importer's name, or why there is none."""
    chance = random.Random(seed)
    path = folder / "boot.log"
    path.write_bytes(mutated_lines(chance, chance.choice(LOGS), LOGS))
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
