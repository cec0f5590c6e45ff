# SPDX-License-Identifier: Apache-2.0
"""Waiting for what another builds: whose it is, since when, and how long it may take."""

import multiprocessing
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread

import pytest

from perfboard.cli.progress import LogProgress
from perfboard.host.cache.cache import cache_root, cached, locked
from perfboard.host.cache.lock import Lock
from perfboard.host.cache.waiting import TellingProgress
from perfboard.model.progress import SilentProgress, Step
from tests.support.users import AS_ROOT, by_another, common_folder

FORK = multiprocessing.get_context("fork")


class Heard(SilentProgress):
    """Steps that keep their notes, and call `then` at each."""

    def __init__(self, then: Event) -> None:
        self.notes: list[str] = []
        self._then = then

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        assert (title, total) == ("waiting for another build", inf)
        yield self

    def update(self, done: float, note: str = "") -> None:
        self.notes.append(note)
        self._then.set()


def _hold(pipe: Connection, name: str, done: float) -> None:
    sys.argv = ["perfboard", "study", "boot", "--board", "verdex"]
    progress = TellingProgress(SilentProgress())
    with locked(name, progress), progress.step("building the kernel", 100) as step:
        if done:
            step.update(done)
        pipe.send("held")
        pipe.recv()


@contextmanager
def another(name: str, done: float = 0) -> Iterator[tuple[int, Event]]:
    """Another process that holds that lock until the event; its number."""
    ours, theirs = FORK.Pipe()
    process = FORK.Process(target=_hold, args=(theirs, name, done))
    process.start()
    assert ours.poll(60) and ours.recv() == "held"
    heard = Event()

    def end() -> None:
        heard.wait(60)
        ours.send("end")

    ends = Thread(target=end)
    ends.start()
    yield process.pid or 0, heard
    heard.set()
    ends.join()
    process.join()


@pytest.mark.parametrize(
    ("done", "left"), [(50, r"about \d+ s left"), (0, "nobody knows how long it may take")]
)
def test_a_wait_says_for_whom_since_when_and_how_long(done: float, left: str) -> None:
    with another("kernel-1", done) as (pid, heard):
        progress = Heard(heard)
        with locked("kernel-1", progress):
            pass
    (first, *_) = progress.notes
    assert re.fullmatch(
        rf"{left}\nprocess {pid} \(perfboard study boot --board verdex\) has it, "
        r"since \d\d:\d\d:\d\d: building the kernel",
        first,
    )


def test_without_a_word_of_the_builders_earlier_builds_tell_how_long_it_may_take() -> None:
    def build(folder: Path) -> None:
        (folder / "file").touch()

    # Such entries were made in no time.
    cached("kind", {"number": "1"}, build, SilentProgress())
    key = cached("kind", {"number": "2"}, build, SilentProgress())
    with another(f"kind-{key.name}") as (_, heard):
        (key / "file").unlink()
        progress = Heard(heard)
        cached("kind", {"number": "2"}, build, progress)
    assert progress.notes[0].startswith("such a build takes about 0 s\n")


def test_the_wait_is_told_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    class Log(LogProgress):
        @contextmanager
        def step(self, title: str, total: float) -> Iterator[Step]:
            with super().step(title, total) as shown:
                yield Both(shown)

    class Both:
        def __init__(self, shown: Step) -> None:
            self._shown = shown

        def update(self, done: float, note: str = "") -> None:
            self._shown.update(done, note)
            heard.set()

    with another("kernel-1") as (pid, heard), locked("kernel-1", Log()):
        pass
    said = capfd.readouterr().err.splitlines()
    assert said[0] == "waiting for another build ..."
    assert said[1].startswith("waiting for another build: nobody knows how long it may take")
    assert said[2].startswith(f"  process {pid} (perfboard study")


def test_another_thread_of_this_command_may_have_it() -> None:
    heard, lock = Event(), locked("kernel-1", SilentProgress())
    lock.__enter__()

    def end() -> None:
        heard.wait(60)
        lock.__exit__(None, None, None)

    ends = Thread(target=end)
    ends.start()
    progress = Heard(heard)
    with locked("kernel-1", progress):
        pass
    ends.join()
    assert "another part of this command has it" in progress.notes[0]


class _Unwanted(SilentProgress):
    """Steps that raise at their second sign of life."""

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        self.lives = 2
        yield self

    def update(self, done: float, note: str = "") -> None:
        self.lives -= 1
        if not self.lives:
            raise KeyboardInterrupt


def test_who_waits_for_another_can_be_told_to_stop() -> None:
    mine, theirs = locked("kernel", SilentProgress()), locked("kernel", _Unwanted())
    with mine, pytest.raises(KeyboardInterrupt), theirs:
        raise AssertionError("two have it")
    with locked("kernel", SilentProgress()):
        pass


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"{",
        b"[1]",
        b'{"pid": 1}',
        b'{"pid": "x", "command": "a", "since": 1}',
        b'{"pid": 1, "command": "a", "since": NaN}',
        b'{"pid": 1, "command": "a", "since": 1, "ends": {}}',
        b'{"pid": 999999999, "command": "a", "since": 1}',
        b"\xff" * 9000,
    ],
)
def test_a_note_that_is_none_names_nobody(note: bytes) -> None:
    lock = Lock(cache_root() / "locks" / "a.lock")
    assert lock.take()
    (cache_root() / "locks" / "a.lock").write_bytes(note)
    assert lock.holder() is None
    lock.release()


def test_a_lock_whose_file_is_removed_is_another() -> None:
    path = cache_root() / "locks" / "a.lock"
    first, second = Lock(path), Lock(path)
    assert first.take() and not second.take()
    path.unlink()
    assert second.take()
    first.release()
    assert not Lock(path).take()
    second.release()


@AS_ROOT
def test_another_user_takes_the_same_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    with common_folder() as common:
        monkeypatch.setenv("XDG_CACHE_HOME", str(common))
        path = cache_root() / "locks" / "a.lock"

        def take() -> str:
            lock = Lock(path)
            if lock.take():
                lock.release()
                return "taken"
            holder = lock.holder()
            return f"{holder.pid if holder else None}"

        lock = Lock(path)
        assert lock.take()
        assert by_another(take) == str(os.getpid())
        lock.release()
        assert by_another(take) == "taken"
        assert take() == "taken"
        # One that another may only read is a lock all the same.
        path.chmod(0o644)
        assert by_another(take) == "taken"
