# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe media`: each frame has its time, and nothing stays."""

import subprocess
from pathlib import Path

import pytest

from perfboard.measures.media.frames import FlowRow, FramesRow, WritebackRow
from perfboard.model.rows import read_rows

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("media") / "media"
    return compile_commands(
        path, *(f"commands/{name}.c" for name in ("media", "own_files", "pace", "writeback"))
    )


@pytest.mark.parametrize(
    ("records", "plays", "expected"),
    [(1, 0, ["record"]), (0, 1, ["play"]), (2, 1, ["record", "record", "play"])],
)
def test_each_file_is_a_row_and_is_gone(
    probe: str, tmp_path: Path, records: int, plays: int, expected: list[str]
) -> None:
    words = [str(records), str(plays), str(tmp_path), "5000", "20", "500", "sync", "1"]
    done = subprocess.run([probe, "media", *words], capture_output=True, text=True, check=True)
    found = read_rows(done.stdout, FramesRow)
    assert [row.stream for row in found] == expected
    assert all(len(row.took_us) == len(row.since_due_us) == 20 for row in found)
    assert len(read_rows(done.stdout, WritebackRow)) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_flows_is_timed_to_the_end_of_fsync(probe: str, tmp_path: Path) -> None:
    words = [probe, "media", "1", "1", str(tmp_path), "1000000", "40", "0", "buffered", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    record, play = read_rows(done.stdout, FlowRow)
    assert (record.stream, play.stream, record.frames) == ("record", "play", 40)
    assert 0 < record.called_us <= record.done_us and 0 < play.called_us <= play.done_us
    assert list(tmp_path.iterdir()) == []


def test_what_has_no_room_is_refused_before_a_byte_is_written(probe: str, tmp_path: Path) -> None:
    words = [probe, "media", "1", "0", str(tmp_path), "16000000", "1000000", "0", "buffered", "1"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=10)
    assert done.returncode == 1 and done.stdout == ""
    assert f"{tmp_path}: no room for 16000000 MB: " in done.stderr


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
    assert refused or read_rows(done.stdout, FlowRow)[0].frames == 20


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
