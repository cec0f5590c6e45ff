# SPDX-License-Identifier: Apache-2.0
"""The plugin of pytest, in a pytest of its own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.boards.margins import margins_of
from perfboard.model.timed_as import SEVERAL

_CONFTEST = """
import pytest
from tests.support.lab import FakeLab
from tests.support.runs import make_boot

@pytest.fixture(scope="session")
def perfboard_lab(tmp_path_factory):
    fake = FakeLab(tmp_path_factory.mktemp("lab"))
    late = {"full": 2 * 10**9, "quiet": 0}
    fake.takes = lambda variant: make_boot({"init.exec": late[variant.levels["console"]]})
    return fake.lab()
"""
_TESTS = """
def test_quiet(perfboard):
    run = perfboard.boot("verdex", console="quiet")
    perfboard.check(run, "boot.total", 9.0)
    perfboard.check(run, "image.kernel.size", 100)

def test_full(perfboard):
    perfboard.check(perfboard.boot("verdex"), "boot.total", 1.5)

def test_on_the_edge(perfboard):
    perfboard.check(perfboard.boot("verdex"), "boot.total", 3.6)

def test_no_seconds(perfboard):
    perfboard.check(perfboard.boot("verdex", detail="counted"), "boot.total", 100.0)

def test_no_metric(perfboard):
    perfboard.check(perfboard.boot("verdex", boots=2), "boot.nosuch", 1.0)
"""
_ROOT = Path(__file__).parents[2]


def pytest_here(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "perfboard.testing",
            "-p",
            "no:cacheprovider",
            *words,
        ],
        cwd=folder,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": f"{_ROOT / 'src'}:{_ROOT}",
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout + done.stderr


def test_tests_hold_boards_against_budgets(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(_CONFTEST)
    (tmp_path / "test_board.py").write_text(_TESTS)
    said = pytest_here(tmp_path, "-q", "-rfE")
    assert "3 failed, 2 passed, 1 warning" in said, said
    share = margins_of(load_board("verdex").board).margins[SEVERAL].share
    assert share
    stated = re.search(r"boot\.total is 3\.543 s, from ([0-9.]+) s to ([0-9.]+) s", said)
    assert stated, said
    within = [3.543 / (1 + share), 3.543 * (1 + share)]
    assert [float(end) for end in stated.groups()] == pytest.approx(within, rel=0.01)
    assert "InconclusiveWarning: boot.total is 3.543 s" in said
    assert "counted instructions say how much work there is" in said
    assert "has no metric boot.nosuch; it has" in said
    assert len(list((tmp_path / "data/perfboard/runs").iterdir())) == 5


def test_pytest_starts_without_the_rest_of_perfboard(tmp_path: Path) -> None:
    code = (
        "import sys, perfboard.testing; "
        "print([m for m in sys.modules if m.startswith(('perfboard.', 'numpy', 'pydantic'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['perfboard.testing']"
