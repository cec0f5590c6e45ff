# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe media`: each frame has its time, and nothing stays."""

import re
import subprocess
from pathlib import Path

import pytest

from .compiler import HERE, compile_sources


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("media") / "media"
    sources = ("run/media.c", "run/pace.c", "measure/child.c", "measure/number.c")
    return str(compile_sources(path, HERE / "media_harness.c", *sources))


WRITEBACK = re.compile(r"@writeback (\d+) (\d+) (\d+)")


def streams(text: str) -> list[tuple[str, list[list[int]]]]:
    """The rows of each stream, in the order of the streams."""
    found: list[tuple[str, list[list[int]]]] = []
    for line in text.splitlines():
        if line.startswith("@media "):
            found.append((line.removeprefix("@media "), []))
        elif not line.startswith("@"):
            found[-1][1].append([int(word) for word in line.split()])
    return found


@pytest.mark.parametrize(
    ("records", "plays", "expected"),
    [(1, 0, ["record"]), (0, 1, ["play"]), (2, 1, ["record", "record", "play"])],
)
def test_each_frame_is_a_row_and_the_files_are_gone(
    probe: str, tmp_path: Path, records: int, plays: int, expected: list[str]
) -> None:
    words = [str(records), str(plays), str(tmp_path), "5000", "20", "0", "sync", "1"]
    done = subprocess.run([probe, *words], capture_output=True, text=True, check=True)
    found = streams(done.stdout)
    assert [name for name, _ in found] == expected
    assert all(len(rows) == 20 and all(late == 0 for _, late in rows) for _, rows in found)
    assert WRITEBACK.fullmatch(done.stdout.splitlines()[-1])
    assert list(tmp_path.iterdir()) == []


def test_a_paced_frame_is_never_before_it_is_due(probe: str, tmp_path: Path) -> None:
    words = [probe, "1", "0", str(tmp_path), "100", "20", "100", "buffered", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    ((_, rows),) = streams(done.stdout)
    assert len(rows) == 20 and all(0 <= took <= since < 10_000_000 for took, since in rows)


def test_what_waits_to_be_written_is_seen(probe: str, tmp_path: Path) -> None:
    # 40 MB in 0.4 s, of which the kernel has at most some on the disk by then.
    words = [probe, "1", "0", str(tmp_path), "1000000", "40", "100", "buffered", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    match = WRITEBACK.search(done.stdout)
    assert match and int(match[1]) > 0


def test_direct_writes_are_of_whole_blocks_or_refused_in_words(probe: str, tmp_path: Path) -> None:
    words = [probe, "1", "0", str(tmp_path), "8192", "20", "0", "direct", "0"]
    done = subprocess.run(words, capture_output=True, text=True)
    refused = done.returncode == 1 and "takes no direct writes" in done.stderr
    assert refused or len(streams(done.stdout)[0][1]) == 20


@pytest.mark.parametrize(
    "words",
    [
        "",
        "1",
        "0 0 . 1 1 1 buffered 0",
        "9 0 . 1 1 1 buffered 0",
        "1 0 . 0 1 1 buffered 0",
        "1 0 . 1 0 1 buffered 0",
        "1 0 . x 1 1 buffered 0",
        "1 0 . 99999999999 1 1 buffered 0",
        "1 0 . 1 1 1 fast 0",
        "1 0 . 1 1 1 sync 2",
    ],
)
def test_wrong_words_are_told(probe: str, tmp_path: Path, words: str) -> None:
    done = subprocess.run([probe, *words.split()], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


def test_a_folder_that_is_not_there_is_named(probe: str) -> None:
    words = [probe, "1", "0", "/no/such/folder", "1", "1", "0", "buffered", "0"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "/no/such/folder: No such file" in done.stderr
