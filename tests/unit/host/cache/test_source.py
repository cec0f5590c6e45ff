# SPDX-License-Identifier: Apache-2.0
"""An entry of the cache is made anew when the code that makes it changes, but for what is dear."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import perfboard

# The entries of a file of the user's, which is cheap to make again, and of a kernel.
SCRIPT = """
import sys
from pathlib import Path
from perfboard.host.cache.cache import cached
from perfboard.images.root.build import keep_file
from perfboard.model.progress import SilentProgress
print(keep_file(Path(sys.argv[1]), SilentProgress()).parent)
print(cached("kernel", {"source": "1"}, lambda folder: None, SilentProgress()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that a test may change."""
    folder = tmp_path / "src" / "perfboard"
    shutil.copytree(
        Path(perfboard.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


def entries(package: Path) -> list[str]:
    """Where the copy of the package keeps what the script makes."""
    command = [sys.executable, "-B", "-c", SCRIPT, __file__]
    variables = {"PYTHONPATH": str(package.parent), "XDG_CACHE_HOME": str(package.parents[1])}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    "changed",
    [
        "images/root/build.py",
        # Imported by it, by what it imports, and with that.
        "host/cache/cache.py",
        "images/packages/apt.py",
        "model/units.py",
        "model/__init__.py",
    ],
)
def test_a_change_of_the_builder_makes_a_new_entry(package: Path, changed: str) -> None:
    file, kernel = entries(package)
    with (package / changed).open("a") as source:
        source.write("# A step that is new.\n")
    new, same = entries(package)
    assert new != file and same == kernel


def test_a_change_of_other_code_does_not(package: Path) -> None:
    before = entries(package)
    for other in ("report/boards.py", "studies/boot/study.py", "new.py"):
        with (package / other).open("a") as source:
            source.write("# A word that is new.\n")
    assert entries(package) == before
