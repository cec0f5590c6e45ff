# SPDX-License-Identifier: Apache-2.0
"""Entries of the cache that somebody or something has damaged: made again, said, and never used."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.host.cache.cache import cache_root, cached, find_cached, kept_folder
from perfboard.host.cache.entries import manifest_of
from perfboard.host.cache.manifest import NAME, find_damage, write_manifest
from perfboard.model.errors import UsageError
from perfboard.model.progress import SilentProgress
from tests.support.damage import DAMAGES, flip

INPUTS = {"source": "1"}
FILES = ("bank0.bin", "in/a", "in/deep/b", NAME)


def write_all(folder: Path) -> None:
    (folder / "in" / "deep").mkdir(parents=True)
    (folder / "in" / "empty").mkdir()
    for number, name in enumerate(FILES[:3]):
        (folder / name).write_bytes(bytes([number]) * 300)
    (folder / "link").symlink_to("bank0.bin")


def whole() -> Path:
    return cached("image", INPUTS, write_all, SilentProgress())


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
        if path.name != NAME
    }


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_made_again_and_said(
    name: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = contents(whole())
    DAMAGES[damage](whole() / name)
    assert find_cached("image", INPUTS, __name__) is None
    assert not caplog.text
    assert contents(whole()) == before
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "cache's image" in caplog.text and "building it again" in caplog.text
    if name != NAME:
        assert name in caplog.text
    assert find_cached("image", INPUTS, __name__) == whole()
    assert len(caplog.records) == 1


def _remove_link(entry: Path) -> None:
    (entry / "link").unlink()


def _turn_link(entry: Path) -> None:
    _remove_link(entry)
    (entry / "link").symlink_to("in/a")


def _pipe(entry: Path) -> None:
    (entry / "in" / "a").unlink()
    os.mkfifo(entry / "in" / "a")


def _empty_folder(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.mkdir()


def _file_for_entry(entry: Path) -> None:
    shutil.rmtree(entry)
    entry.write_text("no folder")


OTHERS: dict[str, Callable[[Path], object]] = {
    "one more file": lambda entry: (entry / "more").touch(),
    "one more folder": lambda entry: (entry / "more").mkdir(),
    "no empty folder": lambda entry: (entry / "in" / "empty").rmdir(),
    "half of it": lambda entry: shutil.rmtree(entry / "in"),
    "all but the folder": _empty_folder,
    "no link": _remove_link,
    "another link": _turn_link,
    "a pipe": _pipe,
    "a file": _file_for_entry,
    "made by an older version": lambda entry: (entry / NAME).rename(entry / "inputs.json"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_damage_is_found_too(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    before = contents(whole())
    OTHERS[kind](whole())
    assert contents(whole()) == before
    assert len(caplog.records) == 1


def test_an_entry_that_is_gone_is_made_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    shutil.rmtree(whole())
    assert (whole() / "bank0.bin").exists()
    assert not caplog.text


def test_another_entrys_manifest_is_none() -> None:
    other = cached("image", {"source": "2"}, write_all, SilentProgress())
    shutil.copy(other / NAME, whole() / NAME)
    assert find_cached("image", INPUTS, __name__) is None


def test_bytes_that_change_without_a_trace_are_found() -> None:
    file = whole() / "bank0.bin"
    before = file.stat()
    flip(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert find_cached("image", INPUTS, __name__) is None


@given(where=st.integers(0), mask=st.integers(1, 255))
def test_no_changed_byte_of_a_manifest_passes(
    tmp_path_factory: pytest.TempPathFactory, where: int, mask: int
) -> None:
    folder = tmp_path_factory.mktemp("entry")
    (folder / "a").write_text("1")
    place = folder / NAME
    write_manifest(folder, place, INPUTS)
    data = bytearray(place.read_bytes())
    data[where % len(data)] ^= mask
    place.write_bytes(data)
    damage = find_damage(folder, place, INPUTS)
    # Whether the last line ends makes no difference.
    assert damage or where % len(data) == len(data) - 1


class Worked:
    """A folder that is worked in: how often it was filled."""

    def __init__(self) -> None:
        self.folder = cache_root() / "kernel-tree" / "key"
        self.filled = 0

    def fill(self) -> None:
        self.filled += 1
        (self.folder / "source").mkdir()
        (self.folder / "source" / "a.c").write_bytes(b"1" * 300)
        (self.folder / "source" / "b.c").write_bytes(b"2" * 300)

    def work(self, then: Callable[[], object] = lambda: None) -> None:
        with kept_folder(self.folder, INPUTS, self.fill, SilentProgress()):
            (self.folder / "a.o").write_bytes(b"3" * 300)
            then()


@pytest.mark.parametrize("name", ["source/a.c", "a.o", None])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_of_work_is_filled_again(
    name: str | None, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    worked = Worked()
    for _ in range(2):
        worked.work()
    assert worked.filled == 1
    DAMAGES[damage](manifest_of(worked.folder) if name is None else worked.folder / name)
    worked.work()
    assert worked.filled == 2
    assert "kernel-tree" in caplog.text
    worked.work()
    assert worked.filled == 2


def test_work_that_changes_files_is_known_the_next_time() -> None:
    worked = Worked()
    worked.work()
    worked.work(lambda: (worked.folder / "source" / "a.c").write_bytes(b"4" * 300))
    worked.work()
    assert worked.filled == 1


def test_a_copy_of_a_folder_of_work_is_as_good() -> None:
    worked = Worked()
    worked.work()
    shutil.copytree(worked.folder, cache_root() / "copy")
    shutil.rmtree(worked.folder)
    (cache_root() / "copy").rename(worked.folder)
    worked.work()
    assert worked.filled == 1


def test_only_what_an_error_of_ours_ends_is_kept() -> None:
    def end(error: BaseException) -> Callable[[], object]:
        def raise_it() -> None:
            raise error

        return raise_it

    worked = Worked()
    with pytest.raises(UsageError):
        worked.work(end(UsageError("an option is wrong")))
    worked.work()
    assert worked.filled == 1
    with pytest.raises(KeyboardInterrupt):
        worked.work(end(KeyboardInterrupt()))
    worked.work()
    assert worked.filled == 2
