# SPDX-License-Identifier: Apache-2.0
"""Who makes the tries: notes, giving up, and what Dask's ends become."""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from perfboard.images.command import follow
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.progress import Progress, Step
from perfboard.studies import tuning_pool
from perfboard.studies.tuning_boot import Attempt, Task
from perfboard.studies.tuning_pool import NotedProgress, ended, workers
from perfboard.targets.base import Cancelled

TASK = Task("verdex", {})


class _Shown:
    """A Progress that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[float, str]] = []

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        yield self

    def update(self, done: float, note: str = "") -> None:
        self.told.append((done, note))


def test_a_note_keeps_how_far_the_step_is() -> None:
    shown = _Shown()
    noted = NotedProgress(shown)
    noted.note("before any step")
    with noted.step("trying", 3) as step:
        step.update(2, "flash=cached")
        noted.note("building the kernel 40%")
    noted.note("after it")
    assert shown.told == [(2, "flash=cached"), (2, "building the kernel 40%")]


def test_a_build_that_is_given_up_ends_with_its_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As a kernel's build does: it looks at each line that make prints."""
    begun = Event()

    def build(task: Task, progress: Progress, cancelled: Event) -> Attempt:
        with progress.step("building", 100) as step:

            def show(line: str) -> bool:
                begun.set()
                step.update(1)
                return True

            follow(["sh", "-c", "while echo line; do sleep 0.01; done"], show, folder=tmp_path)
        return Attempt("booted")

    monkeypatch.setattr(tuning_pool, "attempt", build)
    notes: list[str] = []
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), workers(None, notes.append) as submit:
        futures = [submit(TASK) for _ in range(20)]
        assert begun.wait(20)
        raise KeyboardInterrupt
    assert time.monotonic() - began < 20
    assert all(future.done() for future in futures)
    assert any(isinstance(f.exception(), Cancelled) for f in futures if not f.cancelled())
    assert "building 1%" in notes


def test_what_an_attempt_raises_comes_through() -> None:
    future: Future[Attempt] = Future()
    future.set_exception(UsageError("no such board"))
    with pytest.raises(UsageError, match="no such board"):
        ended(future)


def test_a_lost_scheduler_is_this_machines_lack() -> None:
    future: Future[Attempt] = Future()
    future.cancel()
    future.set_running_or_notify_cancel()
    with pytest.raises(EnvironmentLacksError, match="the Dask scheduler was lost"):
        ended(future)


def test_workers_that_are_lost_again_and_again() -> None:
    scheduler = pytest.importorskip("distributed.scheduler")
    future: Future[Attempt] = Future()
    last = SimpleNamespace(address="tcp://127.0.0.1:9")
    future.set_exception(scheduler.KilledWorker("task", last, 3))
    with pytest.raises(EnvironmentLacksError, match="lost again and again"):
        ended(future)
