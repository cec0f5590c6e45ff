# SPDX-License-Identifier: Apache-2.0
"""Mutated files and made-up boots by the whole command: `benchmarks/import_fuzz.py` has more."""

from pathlib import Path

import pytest

from tests.support.answered_boots import try_boots
from tests.support.fuzzed_imports import try_file, whole_files

FILES = whole_files()


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_a_mutated_file_is_a_run_or_refused(first: int, homes: Path) -> None:
    for seed in range(first, first + 50):
        trial = try_file(seed, FILES, homes, everything=seed == first, process=False)
        assert not trial.faults, (seed, trial.faults)


@pytest.mark.parametrize("first", range(0, 60, 30))
def test_an_answer_holds_the_truth_of_a_boot(first: int, homes: Path) -> None:
    for seed in range(first, first + 30):
        trial = try_boots(seed, homes)
        assert not trial.faults, (seed, trial.faults)
