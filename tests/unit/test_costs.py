# SPDX-License-Identifier: Apache-2.0
"""The costs that a suite ends with, in a pytest of its own; and the table of the stages."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_CONFTEST = """
from tests.support import costs

def pytest_configure(config):
    config.pluginmanager.register(costs)
"""
_TESTS = """
import subprocess, sys, pytest

@pytest.fixture(scope="session")
def worker():
    # What a process costs that was waited for counts too.
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)

@pytest.fixture(scope="module")
def idle(worker):
    pass

def test_passes(idle):
    pass

def test_fails():
    assert False

@pytest.mark.skip
def test_is_skipped():
    pass
"""
# As make would: writes how many tests there were, where the stage has any.
_MAKE = """\
#!/bin/sh
case $1 in
unit) cat > "$PERFBOARD_TEST_COSTS" << END
{"outcomes": {"passed": 1234, "skipped": 1},
"fixtures": {"::cheap": [1, 2, 3], "::dear": [1, 9, 0]}}
END
;;
native) exit 2 ;;
esac
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_dearest_fixtures_and_tests_are_named(tmp_path: Path, workers: tuple[str, ...]) -> None:
    # A conftest below the root, as ours is: its own hooks do not see fixtures of the session.
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/conftest.py").write_text(_CONFTEST)
    (tmp_path / "tests/test_some.py").write_text(_TESTS)
    costs = tmp_path / "costs.json"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *workers, "tests/test_some.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(_ROOT), "PERFBOARD_TEST_COSTS": str(costs)},
        capture_output=True,
        text=True,
    )
    fixtures, _, tests = done.stdout.partition("dearest fixtures")[2].partition("dearest tests")
    assert fixtures.index("::worker") < fixtures.index("::idle")
    assert "test_some.py::test_passes" in tests and "test_some.py::test_fails" in tests
    assert json.loads(costs.read_text())["outcomes"] == {"passed": 1, "failed": 1, "skipped": 1}


def test_the_stages_end_at_the_first_that_fails_and_are_all_in_a_table(tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text(_MAKE)
    make.chmod(0o755)
    done = subprocess.run(
        [sys.executable, _ROOT / "tests/stages.py"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    table, _, fixtures = done.stdout.partition("\ndearest fixtures\n")
    assert [line.split()[-1] for line in fixtures.splitlines()] == ["::dear", "::cheap"]
    head, *rows = table.strip().splitlines()
    assert head.split() == ["stage", "tests", "wall", "processor", "written"]
    assert [row.split()[0] for row in rows] == ["set-up", "checks", "unit", "native"]
    assert "1,234 passed, 1 skipped" in rows[2] and "failed" in rows[3]
    assert max(map(len, rows)) <= 80
