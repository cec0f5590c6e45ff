# SPDX-License-Identifier: Apache-2.0
"""Runs of schema perfboard.run/1 are shown, exported and compared as when they were made."""

import hashlib
import json
from pathlib import Path

import pytest

from perfboard.analysis.compare.comparison import compare
from perfboard.report.comparison import comparison_text
from perfboard.report.export.choose import export
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.store.reading import load_run
from tests.support.golden import FOLDER, NAMES, golden, unpack

PAIRS = [path.name.split(".")[1:3] for path in sorted(FOLDER.glob("compare.*"))]


@pytest.mark.parametrize("name", NAMES)
def test_show_and_report(name: str, tmp_path: Path) -> None:
    run = load_run(unpack(name, tmp_path))
    assert run_text(run) + "\n" == golden(f"{name}.show.txt")
    assert run.id in render(run)


@pytest.mark.parametrize("name", NAMES)
def test_exports(name: str, tmp_path: Path) -> None:
    run = load_run(unpack(name, tmp_path))
    hashes = json.loads(golden("exports.json"))[name]
    found = {name: hashlib.sha256(export(run, name).encode()).hexdigest() for name in hashes}
    assert found == hashes


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_compare(before: str, after: str, tmp_path: Path) -> None:
    first, second = (load_run(unpack(name, tmp_path)) for name in (before, after))
    found = comparison_text(compare(first, second, across_evidence=True))
    assert found == golden(f"compare.{before}.{after}.txt")
