# SPDX-License-Identifier: Apache-2.0
"""`perfboard-probe media`: each frame has its time, and nothing stays."""

import subprocess
from pathlib import Path

import pytest

from perfboard.bench.talk.ends import PortRow
from perfboard.measures.media.frames import FlowRow, FramesRow, WritebackRow
from perfboard.model.rows import RefusedRow, read_rows

from .compiler import compile_commands


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("media") / "media"
    names = ("media", "film", "own_files", "pace", "tcp", "tcp_serve", "writeback")
    return compile_commands(path, *(f"commands/{name}.c" for name in names))


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


def port_of(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    (row,) = read_rows(program.stdout.readline(), PortRow)
    return str(row.port)


def test_a_film_comes_from_a_server_while_another_is_written(probe: str, tmp_path: Path) -> None:
    serve = [probe, "tcp-serve", "127.0.0.1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(serve, text=True, stdin=pipe, stdout=pipe) as server:
        words = ["1", "1", str(tmp_path), "5000", "20", "200", "buffered", "0"]
        film = ["from", "127.0.0.1", port_of(server)]
        done = subprocess.run([probe, "media", *words, *film], capture_output=True, text=True)
        server.communicate("")
    rows = read_rows(done.stdout, FramesRow)
    assert [(row.stream, len(row.took_us)) for row in rows] == [("record", 20), ("play", 20)]
    assert list(tmp_path.iterdir()) == []


def test_a_film_is_taken_from_whoever_sends_it(probe: str, tmp_path: Path) -> None:
    words = ["0", "1", str(tmp_path), "5000", "20", "200", "buffered", "0", "at", "127.0.0.1"]
    with subprocess.Popen([probe, "media", *words], stdout=subprocess.PIPE, text=True) as taker:
        send = [probe, "tcp", "127.0.0.1", port_of(taker)]
        sent = subprocess.run(send, input="send 1 9000\n", capture_output=True, text=True)
        output, _ = taker.communicate()
    (row,) = read_rows(output, FramesRow)
    assert row.stream == "play" and len(row.took_us) == 20 and taker.returncode == 0
    # The taker had enough before the sender was done.
    assert read_rows(sent.stdout, RefusedRow)


@pytest.mark.parametrize(
    ("film", "said"),
    [
        ("from 127.0.0.1 1", "the server of the film: Connection refused"),
        ("from nowhere 80", "nowhere is no IPv4 address"),
        ("from 127.0.0.1 65536", "65536 is no port"),
        ("at 192.0.2.9", "192.0.2.9: Cannot assign requested address"),
    ],
)
def test_a_film_that_cannot_be_had_is_told(
    probe: str, tmp_path: Path, film: str, said: str
) -> None:
    words = ["0", "1", str(tmp_path), "5", "2", "9", "buffered", "0", *film.split()]
    done = subprocess.run([probe, "media", *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, f"{said}\n")


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
        "1 0 . 1 1 1 sync 0 at 127.0.0.1",
        "1 1 . 1 1 1 sync 0 at",
        "1 1 . 1 1 1 sync 0 from 127.0.0.1",
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
