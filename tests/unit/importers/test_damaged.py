# SPDX-License-Identifier: Apache-2.0
"""Damaged files of each format: `benchmarks/damaged_imports.py` tries many more."""

import random
from collections import Counter
from pathlib import Path

import pytest

from perfboard.importers.choose import importers
from tests.support.damaged_files import TOOLS, damaged, samples, try_reader

SAMPLES = samples()


def test_each_format_has_a_sample() -> None:
    assert {name for name, found in SAMPLES.items() if not found} <= {"jls"}
    assert set(SAMPLES) == set(importers())


@pytest.mark.parametrize("name", sorted(set(SAMPLES) - set(TOOLS)))
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    found = Counter[str]()
    for seed in range(40):
        chance = random.Random(seed)
        data = damaged(chance, chance.choice(SAMPLES[name]))
        found[try_reader(name, data, tmp_path / "damaged.bin")] += 1
    assert found["read"] and found["refused"]
