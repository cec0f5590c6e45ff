# SPDX-License-Identifier: Apache-2.0
"""A file that anyone may have named is read, or refused at once."""

import os
import socket
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from perfboard.host.files.files import read_file, replace_file
from perfboard.model.errors import UsageError


def test_a_file_is_read_whole_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 5000)
    assert read_file(path, 5000, "a file") == b"x" * 5000
    with pytest.raises(UsageError, match=r"has 4.883 KiB; give a file, which has 4.882 KiB"):
        read_file(path, 4999, "a file")
    (tmp_path / "link").symlink_to(path)
    assert len(read_file(tmp_path / "link", 5000, "a file")) == 5000
    with pytest.raises(OSError, match="symbolic"):
        read_file(tmp_path / "link", 5000, "a file", links=False)


def test_a_short_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 5000)
    tracemalloc.start()
    read_file(path, 1 << 30, "a file")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20


def test_one_of_gigabytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UsageError, match=r"has 1024 GiB"):
        read_file(path, 1000, "a file")


def test_what_is_no_file(tmp_path: Path) -> None:
    pipe, socket_path = tmp_path / "pipe", tmp_path / "socket"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(socket_path))
    for path, kind in (
        (Path("/dev/zero"), "a device"),
        (Path("/dev/tty"), "a device"),
        (pipe, "a pipe"),
        (tmp_path, "Is a directory"),
        (tmp_path / "a\0b", "a NUL in its name"),
    ):
        with pytest.raises((UsageError, OSError), match=f"{kind}|No such device or address"):
            read_file(path, 1 << 40, "a file")
    with pytest.raises(OSError, match="No such device"):
        read_file(socket_path, 10, "a file")


def test_two_write_a_place_at_once_and_nobody_sees_half(tmp_path: Path) -> None:
    """Two that had one name for what is unfinished took it from each other."""
    path = tmp_path / "file"
    texts = [f"{n}" * 20_000 for n in range(4)]
    replace_file(path, texts[0])

    def write(text: str) -> None:
        for _ in range(50):
            replace_file(path, text)
            assert path.read_text() in texts

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, texts))
    assert [*tmp_path.iterdir()] == [path] and path.stat().st_mode & 0o777 == 0o644


def test_a_place_that_cannot_be_written_keeps_what_it_had(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        replace_file(tmp_path / "folder", "text")
    assert [*tmp_path.iterdir()] == [tmp_path / "folder"]
