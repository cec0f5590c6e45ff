# SPDX-License-Identifier: Apache-2.0
"""The size of the cache: what goes when it is too large, and what stays."""

import multiprocessing
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from perfboard.host.cache.cache import cache_root, cached, counted_folder, kept_folder, locked
from perfboard.host.cache.entries import (
    CCACHE,
    KEPT,
    VARIABLE,
    list_entries,
    make_room,
    manifest_of,
    size_limit,
)
from perfboard.model.errors import UsageError
from perfboard.model.progress import SilentProgress

SIZE = 100_000
DAY_S = 86400
FORK = multiprocessing.get_context("fork")


def _make(number: int) -> None:
    def build(folder: Path) -> None:
        (folder / "file").write_bytes(bytes([number]) * SIZE)

    cached("kind", {"number": str(number)}, build, SilentProgress())


def by_another(number: int, age_s: float) -> Path:
    """An entry of an earlier process, used last as many seconds ago."""
    process = FORK.Process(target=_make, args=(number,))
    process.start()
    process.join()
    assert process.exitcode == 0
    (entry,) = (e.folder for e in list_entries(cache_root()) if content(e.folder) == number)
    then = time.time() - age_s
    os.utime(manifest_of(entry), (then, then))
    return entry


def content(folder: Path) -> int:
    return (folder / "file").read_bytes()[0]


def numbers() -> list[int]:
    return [content(entry.folder) for entry in list_entries(cache_root())]


def test_entries_are_listed_by_their_last_use_with_their_size_on_disk() -> None:
    by_another(1, 20)
    by_another(2, 30)
    assert numbers() == [2, 1]
    assert all(SIZE <= entry.size < 1.5 * SIZE for entry in list_entries(cache_root()))


def test_a_hole_in_a_file_takes_no_room() -> None:
    def build(folder: Path) -> None:
        with (folder / "file").open("wb") as file:
            file.truncate(1 << 26)

    cached("image", {}, build, SilentProgress())
    assert [entry.size < 1 << 16 for entry in list_entries(cache_root())] == [True]


def test_what_was_not_used_for_longest_goes_first() -> None:
    for number, age in ((1, 100), (2, 400), (3, 300), (4, 200)):
        by_another(number, age)
    removed = make_room(cache_root(), int(2.9 * SIZE))
    assert [entry.folder.parent.name for entry in removed] == ["kind", "kind"]
    assert sorted(numbers()) == [1, 4]
    assert make_room(cache_root(), int(2.9 * SIZE)) == []


def test_a_build_keeps_the_limit_and_says_what_went(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(VARIABLE, "250 kB")
    by_another(1, 300)
    by_another(2, 200)
    assert not caplog.text
    by_another(3, 100)
    assert numbers() == [2, 3]


def test_a_use_makes_it_young_again() -> None:
    by_another(1, 300)
    by_another(2, 200)
    assert numbers() == [1, 2]
    process = FORK.Process(target=_make, args=(1,))
    process.start()
    process.join()
    assert numbers() == [2, 1]


def _use_until_end(number: int, pipe: Connection) -> None:
    _make(number)
    pipe.send(number)
    pipe.recv()


@contextmanager
def in_use(number: int) -> Iterator[multiprocessing.process.BaseProcess]:
    """Another process that uses the entry."""
    ours, theirs = FORK.Pipe()
    process = FORK.Process(target=_use_until_end, args=(number, theirs))
    process.start()
    assert ours.poll(60) and ours.recv() == number
    try:
        yield process
    finally:
        ours.send(number)
        process.join()


def test_what_another_process_uses_stays() -> None:
    for number in (1, 2, 3):
        by_another(number, 100)
    with in_use(2):
        make_room(cache_root(), 0)
        assert numbers() == [2]
    make_room(cache_root(), 0)
    assert numbers() == []


def test_what_a_killed_process_used_goes() -> None:
    with in_use(1) as process:
        process.kill()
        process.join()
        assert len(list((cache_root() / "users").iterdir())) == 1
        make_room(cache_root(), 0)
        assert numbers() == []
        assert list((cache_root() / "users").iterdir()) == []


def test_what_this_process_uses_stays() -> None:
    by_another(1, 100)
    _make(2)
    make_room(cache_root(), 0)
    assert numbers() == [2]


def test_what_somebody_works_in_stays() -> None:
    by_another(1, 100)
    (entry,) = list_entries(cache_root())
    with locked(entry.lock, SilentProgress()):
        make_room(cache_root(), 0)
        assert numbers() == [1]


def test_folders_that_are_worked_in_and_the_compilers_cache_count() -> None:
    tree = cache_root() / "kernel-tree" / "key"

    def fill() -> None:
        (tree / "a").write_bytes(bytes(SIZE))

    with (
        kept_folder(tree, {}, fill, SilentProgress()),
        counted_folder(cache_root() / CCACHE),
    ):
        (cache_root() / CCACHE / "object").write_bytes(b"1" * 2 * SIZE)
        (tree / "b").write_bytes(b"1" * SIZE)
    sizes = {entry.kind: entry.size for entry in list_entries(cache_root())}
    assert sizes.keys() == {"kernel-tree", CCACHE} and "kernel-tree" in KEPT
    assert all(2 * SIZE <= size < 2.5 * SIZE for size in sizes.values())


def test_what_an_older_version_left_goes_after_a_day() -> None:
    _make(1)
    folders = [cache_root() / "kind" / (digit * 64) for digit in "ab"]
    for folder, age in zip(folders, (2 * DAY_S, 60), strict=True):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"5")
        os.utime(folder, (time.time() - age,) * 2)
    make_room(cache_root(), 10**9)
    assert [folder.exists() for folder in folders] == [False, True]


def test_nothing_else_in_the_cache_is_touched() -> None:
    others = [cache_root() / name for name in ("logs/kernel.log", "errors/1/text", "index.sqlite")]
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
        os.utime(path.parent, (0, 0))
    assert list_entries(cache_root()) == []
    make_room(cache_root(), 0)
    assert all(path.exists() for path in others)


@pytest.mark.parametrize("age_s", [DAY_S * 2, 60])
def test_a_cleaner_of_old_files_takes_nothing_that_is_used(age_s: float) -> None:
    """All files of an entry are as old as its last use, but for a day."""
    entry = by_another(1, age_s)
    for path in (entry / "file", manifest_of(entry)):
        os.utime(path, (time.time() - age_s,) * 2)
    _make(1)
    week = time.time() - 7 * DAY_S
    assert all(path.stat().st_mtime > week for path in cache_root().rglob("*"))
    old = time.time() - 1.5 * DAY_S
    assert (entry / "file").stat().st_mtime > old


def test_the_marks_of_use_survive_a_cleaner() -> None:
    _make(1)
    shutil.rmtree(cache_root() / "users")
    _make(1)
    make_room(cache_root(), 0)
    assert numbers() == [1]


def test_the_limit_is_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    assert size_limit() == 20 * 10**9
    monkeypatch.setenv(VARIABLE, "3 GiB")
    assert size_limit() == 3 << 30
    monkeypatch.setenv(VARIABLE, "plenty")
    with pytest.raises(UsageError, match=f"{VARIABLE}.*plenty"):
        _make(1)
    assert not (cache_root() / "kind").exists()
