# SPDX-License-Identifier: Apache-2.0
"""Waiting for a lock, with a word on whoever has it; and telling those who wait of our work."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from math import inf
from pathlib import Path

from perfboard.host.cache.lock import Holder, Lock
from perfboard.host.files.shared import owner_of
from perfboard.model.progress import Progress, Step

# How often whoever waits says so, and how long a wait is silent.
_SAYS_S, _SILENT_S = 0.1, 2.0
_held: ContextVar[tuple[Lock, ...]] = ContextVar("held", default=())


@contextmanager
def held(lock: Lock, progress: Progress, usual: Callable[[], float | None]) -> Iterator[None]:
    """Holds the lock; while another thread or process has it, says which and for how long.

    `usual` is how many seconds such work took before, where that is known. Steps of a
    `TellingProgress` tell others of the work meanwhile. Raises OSError.
    """
    if not lock.take(_SILENT_S):
        _wait(lock, progress, usual)
    _held.set((*_held.get(), lock))
    try:
        yield
    finally:
        _held.set(tuple(each for each in _held.get() if each is not lock))
        lock.release()


def _wait(lock: Lock, progress: Progress, usual: Callable[[], float | None]) -> None:
    usual_s = usual()
    with progress.step("waiting for another build", inf) as step:
        while not lock.take(_SAYS_S):
            # A step of work that nobody needs any more raises.
            step.update(0, _words(lock.holder(), usual_s, time.time()))


def _words(holder: Holder | None, usual_s: float | None, now: float) -> str:
    """How long it may take, and below that whose it is."""
    if holder is None:
        return "nobody says whose it is, nor how long it may take"
    left = "nobody knows how long it may take"
    if holder.ends is not None:
        left = f"about {max(0.0, holder.ends - now):.0f} s left"
    elif usual_s is not None:
        left = f"such a build takes about {usual_s:.0f} s"
    work = f": {holder.work}" if holder.work else ""
    began = f"{datetime.fromtimestamp(holder.since):%H:%M:%S}"
    return f"{left}\n{_whose(holder)}, since {began}{work}"


def _whose(holder: Holder) -> str:
    if holder.pid == os.getpid():
        return "another part of this command has it"
    process = Path(f"/proc/{holder.pid}")
    user = ""
    # It may end meanwhile.
    if process.exists() and process.stat().st_uid != os.geteuid():
        user = f" of {owner_of(process)}"
    return f"process {holder.pid}{user} ({holder.command}) has it"


class TellingProgress:
    """Tells those who wait for our locks what `progress` shows."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        """See `Progress`."""
        with self._progress.step(title, total) as step:
            _tell(title, None)
            yield _TellingStep(step, title, total)


class _TellingStep:
    def __init__(self, step: Step, title: str, total: float) -> None:
        self._step, self._title, self._total = step, title, total
        self._began = time.monotonic()

    def update(self, done: float, note: str = "") -> None:
        self._step.update(done, note)
        left_s = None
        if 0 < done <= self._total < inf:
            left_s = (time.monotonic() - self._began) * (self._total - done) / done
        _tell(self._title, left_s)


def _tell(work: str, left_s: float | None) -> None:
    for lock in _held.get():
        lock.tell(work, left_s)
