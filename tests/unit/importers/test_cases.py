# SPDX-License-Identifier: Apache-2.0
"""Files that people hold are answered by what they are, by the whole command."""

import re
import sys
from pathlib import Path

import pytest

from perfboard.store.folder import finished_folders
from perfboard.store.reading import load_run
from tests.support.command import call
from tests.support.import_cases import FOLDER, NAMES, expected, given_file, words_of, wrong


@pytest.mark.parametrize("case", NAMES)
def test_a_file_is_answered_by_what_it_is(
    case: str, homes: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    expect = expected(case)
    monkeypatch.chdir(FOLDER / case)
    monkeypatch.setenv("COLUMNS", "200")
    with given_file(case, expect).open() as given:
        if expect.get("stdin"):
            monkeypatch.setattr(sys, "stdin", given)
        code = call("import", *words_of(expect))
    folders = finished_folders()
    said = capfd.readouterr()
    assert wrong(expect, code, said.out + said.err, load_run(*folders) if folders else None) == []


def test_each_case_is_of_a_kind_and_each_kind_has_a_case() -> None:
    rows = (FOLDER / "README.md").read_text().partition("|---|---|\n")[2].splitlines()
    kinds = {kind: re.findall("`([a-z0-9-]+)`", cases) for _, kind, cases, _ in map(cells, rows)}
    assert all(kinds.values()) and len(kinds) == len(rows)
    assert sorted(name for cases in kinds.values() for name in cases) == NAMES


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")]
