# SPDX-License-Identifier: Apache-2.0
"""What a command loads to look at things: it answers at once, so nothing that it does not use."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.runs import stored

_CODE = """
import sys, perfboard.cli.command as command
try:
    code = command.main(sys.argv[1:])
finally:
    print("\\n@loaded", *sys.modules)
sys.exit(code)
"""
_LOG = str(Path(__file__).parents[2] / "data" / "import" / "dmesg-pc.log")
# What takes a tenth of a second, or opens a board.
_HEAVY = {
    *("numpy", "scipy", "jinja2"),
    *("perfboard.bench.lab", "perfboard.targets", "perfboard.images", "perfboard.factors"),
}


def loaded(*words: str) -> set[str]:
    """The modules that the command has loaded when it ends."""
    run = subprocess.run(
        [sys.executable, "-c", _CODE, *words], capture_output=True, text=True, check=True
    )
    return set(run.stdout.partition("\n@loaded ")[2].split())


def test_help_imports_nothing_heavy() -> None:
    assert not loaded("--help") & {*_HEAVY, "pydantic", "rich", "inspect", "perfboard.studies"}


def test_runs_that_are_known_are_listed_without_reading_one(homes: Path) -> None:
    stored()
    assert "perfboard.store.reading" in loaded("runs")
    assert not loaded("runs") & {*_HEAVY, "pydantic"}


@pytest.mark.parametrize("words", ["boards", "boards show verdex", "profiles", "show latest"])
def test_a_look_imports_nothing_heavy(homes: Path, words: str) -> None:
    stored()
    assert not loaded(*words.split()) & _HEAVY


def test_an_import_of_a_log_loads_no_arrays_and_nothing_of_boards(homes: Path) -> None:
    # It writes the report, by jinja2.
    assert not loaded("import", _LOG) & (_HEAVY - {"jinja2"})
