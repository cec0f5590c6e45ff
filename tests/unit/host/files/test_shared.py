# SPDX-License-Identifier: Apache-2.0
"""A cache that two users share: neither is refused what is there, and neither can change it."""

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from perfboard.host.cache.cache import cache_root, cached, locked, own_root
from perfboard.host.cache.entries import list_entries, make_room
from perfboard.host.cache.use import users_of
from perfboard.host.files.shared import is_shared, let_read, make_folder
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import SilentProgress
from tests.support.users import AS_ROOT, NOBODY, by_another, common_folder

# No code of ours counts for it, which another user may have no right to read.
KIND = "codec"


def make(number: int = 1) -> Path:
    def build(folder: Path) -> None:
        (folder / "in").mkdir()
        (folder / "in" / "file").write_text(str(number))
        (folder / "program").touch(0o700)

    return cached(KIND, {"number": str(number)}, build, SilentProgress())


def never(folder: Path) -> None:
    raise AssertionError(f"built again in {folder}")


def find(number: int = 1) -> str:
    entry = cached(KIND, {"number": str(number)}, never, SilentProgress())
    return (entry / "in" / "file").read_text()


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with common_folder() as folder:
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@AS_ROOT
def test_each_takes_what_the_other_built(common: Path) -> None:
    assert by_another(make).startswith(str(common))
    assert find() == "1"
    make(2)
    assert by_another(partial(find, 2)) == "2"
    assert by_another(find) == "1"


@AS_ROOT
def test_neither_can_change_what_is_the_others(common: Path) -> None:
    entry = make()
    changes = {
        "write": lambda: (entry / "in" / "file").write_text("other"),
        "add": lambda: (entry / "new").touch(),
        "remove": lambda: (entry / "in" / "file").unlink(),
        "rename": lambda: entry.rename(entry.with_name("gone")),
    }
    for name, change in changes.items():
        assert "PermissionError" in by_another(change), name
    assert by_another(lambda: make_room(cache_root(), 0)) == "[]"
    assert find() == "1"


@AS_ROOT
def test_what_the_other_uses_stays(common: Path) -> None:
    # In a process of its own, since a process begins to use a cache once.
    by_another(make, os.geteuid())

    def use() -> str:
        find()
        _, named = users_of(cache_root())
        return ",".join(str(path.parent.name) for path in named)

    (entry,) = list_entries(cache_root())
    assert by_another(use) == entry.folder.name


@AS_ROOT
def test_what_is_worked_in_is_a_users_own(common: Path) -> None:
    make()
    ours = own_root()
    theirs = Path(by_another(own_root))
    assert ours.parent == theirs.parent == cache_root() and ours != theirs
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o700 and theirs.stat().st_uid == NOBODY


@AS_ROOT
def test_a_damaged_entry_of_the_others_is_named(common: Path) -> None:
    entry = make()
    (entry / "in" / "file").write_text("2")
    said = by_another(make)
    assert "EnvironmentLacksError" in said and "have it removed" in said
    assert f"{entry}: cannot be used (the bytes of in/file have changed), and is root's" in said
    assert make() == entry


@AS_ROOT
def test_what_a_dead_builder_left_stops_nobody_else(common: Path) -> None:
    def die(folder: Path) -> None:
        os._exit(0)

    with pytest.raises(EOFError):
        by_another(lambda: cached(KIND, {"number": "1"}, die, SilentProgress()))
    assert by_another(make).startswith(str(common))


@AS_ROOT
def test_a_cache_that_is_another_users_alone_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, common: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(common / "private"))
    (common / "private").mkdir(0o755)
    make()
    said = by_another(lambda: make(2))
    assert "EnvironmentLacksError" in said and "make the cache folder writable" in said

    def lock() -> None:
        with locked("a", SilentProgress()):
            pass

    assert "PermissionError" in by_another(lock)


def test_a_planted_folder_is_not_taken_for_ones_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache_root().mkdir()
    cache_root().chmod(0o1777)
    (tmp_path / "elsewhere").mkdir()
    (cache_root() / f"of-{os.geteuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvironmentLacksError, match="this user's own part"):
        own_root()


@pytest.mark.parametrize(
    ("mode", "shared", "made", "file", "program"),
    [
        (0o755, False, 0o755, 0o600, 0o700),
        (0o775, False, 0o755, 0o600, 0o700),
        (0o2770, True, 0o3770, 0o640, 0o750),
        (0o1777, True, 0o1777, 0o644, 0o755),
        (0o777, True, 0o1777, 0o644, 0o755),
    ],
)
def test_rights_are_those_of_the_folder(
    tmp_path: Path, mode: int, shared: bool, made: int, file: int, program: int
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(mode)
    assert is_shared(folder) == is_shared(folder / "not" / "there") == shared
    make_folder(folder / "below" / "it")
    for path in (folder / "below", folder / "below" / "it"):
        assert stat.S_IMODE(path.stat().st_mode) & ~stat.S_ISGID == made & ~stat.S_ISGID
    entry = folder / "entry"
    entry.mkdir(0o700)
    (entry / "file").touch(0o600)
    (entry / "program").touch(0o700)
    (entry / "link").symlink_to("/etc/passwd")
    let_read(entry)
    for name, wanted in (("file", file), ("program", program), (".", program)):
        found = (entry / name).stat().st_mode & ~stat.S_ISGID
        assert stat.S_IMODE(found) == wanted, name
