# SPDX-License-Identifier: Apache-2.0
"""How the probe reads lines and folders."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .compiler import HERE, compile_sources

# What a line is cut to.
_ROOM = 1023


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = HERE / "reading_harness.c"
    folder = tmp_path_factory.mktemp("native")
    return compile_sources(folder / "reading", source, "measure/child.c", "measure/reading.c")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(
        st.one_of(
            st.text("ab:- 0", max_size=40),
            st.integers(1000, 3000).map("x".__mul__),
            st.sampled_from([1022, 1023, 1024, 2046, 2047]).map("y".__mul__),
        ),
        max_size=40,
    )
)
def test_lines_are_the_files_and_long_ones_are_cut(
    harness: Path, tmp_path: Path, lines: list[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("".join(line + "\n" for line in lines))
    done = subprocess.run([harness, "lines", file], capture_output=True, check=True)
    assert done.stdout.decode().split("\n")[:-1] == [line[:_ROOM] for line in lines]


def test_a_folder_gives_each_entry_once(harness: Path, tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{'name' * (number % 20)}{number}").touch()
    (tmp_path / ".hidden").touch()
    done = subprocess.run([harness, "folder", tmp_path], capture_output=True, check=True)
    assert sorted(done.stdout.decode().splitlines()) == sorted(
        str(path) for path in tmp_path.iterdir() if path.name != ".hidden"
    )


def test_what_is_not_there_is_no_folder(harness: Path, tmp_path: Path) -> None:
    for kind in ("folder", "lines"):
        assert subprocess.run([harness, kind, tmp_path / "none"], check=False).returncode == 1
