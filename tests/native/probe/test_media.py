# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe media`: each frame has its time, and nothing stays."""

import subprocess
from pathlib import Path

import pytest

from .compiler import HERE, compile_sources


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("media") / "media"
    sources = ("run/media.c", "run/pace.c", "measure/child.c", "measure/number.c")
    return str(compile_sources(path, HERE / "media_harness.c", *sources))


def streams(text: str) -> dict[str, list[list[int]]]:
    """The rows of each stream."""
    found: dict[str, list[list[int]]] = {}
    for line in text.splitlines():
        if line.startswith("@media "):
            rows = found.setdefault(line.removeprefix("@media "), [])
        else:
            rows.append([int(word) for word in line.split()])
    return found


@pytest.mark.parametrize(
    ("what", "expected"),
    [("record", ["record"]), ("play", ["play"]), ("both", ["record", "play"])],
)
def test_each_frame_is_a_row_and_the_files_are_gone(
    probe: str, tmp_path: Path, what: str, expected: list[str]
) -> None:
    words = [probe, what, str(tmp_path), "5000", "20", "0", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = streams(done.stdout)
    assert list(found) == expected
    assert all(len(rows) == 20 and all(late == 0 for _, late in rows) for rows in found.values())
    assert list(tmp_path.iterdir()) == []


def test_a_paced_frame_is_never_before_it_is_due(probe: str, tmp_path: Path) -> None:
    words = [probe, "record", str(tmp_path), "100", "20", "100", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    rows = streams(done.stdout)["record"]
    assert len(rows) == 20 and all(0 <= took <= since < 10_000_000 for took, since in rows)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["record"],
        ["watch", ".", "1", "1", "1", "0"],
        ["record", ".", "0", "1", "1", "0"],
        ["record", ".", "1", "0", "1", "0"],
        ["record", ".", "x", "1", "1", "0"],
        ["record", ".", "99999999999", "1", "1", "0"],
    ],
)
def test_wrong_words_are_told(probe: str, tmp_path: Path, words: list[str]) -> None:
    done = subprocess.run([probe, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


def test_a_folder_that_is_not_there_is_named(probe: str) -> None:
    words = [probe, "record", "/no/such/folder", "1", "1", "0", "0"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "/no/such/folder: No such file" in done.stderr
