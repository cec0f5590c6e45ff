# SPDX-License-Identifier: Apache-2.0
"""Files that people hold are answered by what they are, by the whole command."""

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
