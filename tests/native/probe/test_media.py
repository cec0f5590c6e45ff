# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe media`: each frame has its time, and nothing stays."""

import subprocess
from pathlib import Path

import pytest

from perfboard.measures.media.frames import FramesRow, WritebackRow
from perfboard.model.rows import read_rows

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("media") / "media"
    return compile_commands(path, "commands/media.c", "commands/pace.c")


@pytest.mark.parametrize(
    ("records", "plays", "expected"),
    [(1, 0, ["record"]), (0, 1, ["play"]), (2, 1, ["record", "record", "play"])],
)
def test_each_frame_is_a_row_and_the_files_are_gone(
    probe: str, tmp_path: Path, records: int, plays: int, expected: list[str]
) -> None:
    words = [str(records), str(plays), str(tmp_path), "5000", "20", "0", "sync", "1"]
    done = subprocess.run([probe, "media", *words], capture_output=True, text=True, check=True)
    found = read_rows(done.stdout, FramesRow)
    assert [row.stream for row in found] == expected
    assert all(len(row.took_us) == 20 and row.since_due_us == (0,) * 20 for row in found)
    assert len(read_rows(done.stdout, WritebackRow)) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_paced_frame_is_never_before_it_is_due(probe: str, tmp_path: Path) -> None:
    words = [probe, "media", "1", "0", str(tmp_path), "100", "20", "100", "buffered", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    (row,) = read_rows(done.stdout, FramesRow)
    frames = list(zip(row.took_us, row.since_due_us, strict=True))
    assert row.rate == 100 and len(frames) == 20
    assert all(0 <= took <= since < 10_000_000 for took, since in frames)


def test_what_waits_to_be_written_is_seen(probe: str, tmp_path: Path) -> None:
    # 40 MB in 0.4 s, of which the kernel has at most some on the disk by then.
    words = [probe, "media", "1", "0", str(tmp_path), "1000000", "40", "100", "buffered", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    (row,) = read_rows(done.stdout, WritebackRow)
    assert row.dirty_bytes > 0


def test_direct_writes_are_of_whole_blocks_or_refused_in_words(probe: str, tmp_path: Path) -> None:
    words = [probe, "media", "1", "0", str(tmp_path), "8192", "20", "0", "direct", "0"]
    done = subprocess.run(words, capture_output=True, text=True)
    refused = done.returncode == 1 and "takes no direct writes" in done.stderr
    assert refused or len(read_rows(done.stdout, FramesRow)[0].took_us) == 20


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
    given = [probe, "media", *words.split()]
    done = subprocess.run(given, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


def test_a_folder_that_is_not_there_is_named(probe: str) -> None:
    words = [probe, "media", "1", "0", "/no/such/folder", "1", "1", "0", "buffered", "0"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "/no/such/folder: No such file" in done.stderr
