# SPDX-License-Identifier: Apache-2.0
"""Who makes the tries: this machine's processors, or machines that Dask Distributed knows."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from math import isinf
from threading import Event

from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Step
from perfboard.studies.tuning_boot import Attempt, Task, attempt
from perfboard.targets.base import Cancelled

Submit = Callable[[Task], "Future[Attempt]"]
# Told a combination, and what is being done for it, or "" where that has ended.
Note = Callable[[str, str], None]
_CONNECT_S = 10
# Of what a worker elsewhere says so much is sent.
_EVERY_S = 1.0


class _Inner:
    """The steps of a try, of which each is told; where it looks whether it is wanted."""

    def __init__(self, note: Callable[[str], None], cancelled: Event) -> None:
        self._note, self._cancelled = note, cancelled

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        """See `model.progress.Progress`."""
        step = _InnerStep(title, total, self._note, self._cancelled)
        step.update(0)
        yield step


class _InnerStep:
    def __init__(
        self, title: str, total: float, note: Callable[[str], None], cancelled: Event
    ) -> None:
        self._title, self._total = title, total
        self._note, self._cancelled = note, cancelled

    def update(self, done: float, note: str = "") -> None:
        # A build that is under way looks here alone whether it is still wanted.
        if self._cancelled.is_set():
            raise Cancelled
        if isinf(self._total):
            self._note(f"{self._title}: {note}" if note else self._title)
        else:
            share = f" {done / self._total:.0%}" if 0 < done <= self._total else ""
            self._note(f"{self._title}{share}")


def ended(future: "Future[Attempt]") -> Attempt:
    """What came of an attempt. Raises what it raised, and EnvironmentLacksError for Dask's ends."""
    try:
        return future.result()
    except CancelledError:
        raise EnvironmentLacksError(
            "the Dask scheduler was lost; start it again, and run the tune again: workers have "
            "the boots that they made"
        ) from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] == "distributed":
            raise EnvironmentLacksError(
                f"Dask's workers are lost again and again: {error}"
            ) from error
        raise


@contextmanager
def workers(scheduler: str | None, note: Note) -> Iterator[Submit]:
    """What makes an attempt of a task in the background.

    `note` is told from any thread what is being done. Left early, no more attempts are begun, and
    those under way here are given up. Raises EnvironmentLacksError where the scheduler is not
    to be had.
    """
    if scheduler is not None:
        with _distributed(scheduler, note) as submit:
            yield submit
        return
    cancelled = Event()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            yield lambda task: pool.submit(_told, task, note, cancelled)
        finally:
            cancelled.set()
            pool.shutdown(cancel_futures=True)


def _told(task: Task, note: Note, cancelled: Event) -> Attempt:
    """The attempt of a task, of which is told what is being done."""
    try:
        return attempt(task, _Inner(partial(note, task.title), cancelled), cancelled)
    finally:
        note(task.title, "")


def _elsewhere(task: Task, topic: str) -> Attempt:
    """The attempt of a task by a worker of Dask's, which sends what is being done to `topic`."""
    from distributed import get_worker

    worker, sent = get_worker(), -_EVERY_S

    def send(levels: str, doing: str) -> None:
        nonlocal sent
        now = time.monotonic()
        if not doing or now - sent >= _EVERY_S:
            sent = now
            worker.log_event(topic, [levels, doing])

    return _told(task, send, Event())


@contextmanager
def _distributed(address: str, note: Note) -> Iterator[Submit]:
    """Dask makes an attempt again elsewhere when the worker that makes it is lost."""
    try:
        from distributed import Client
    except ImportError as error:
        raise EnvironmentLacksError(
            "--scheduler wants Dask Distributed, which is not installed; "
            "install it with: pip install 'perfboard[tune]'"
        ) from error
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EnvironmentLacksError(
            f"there is no Dask scheduler at {address}: {error}; start one with `dask scheduler`, "
            "and `dask worker` on each machine, and give the address that it prints"
        ) from error
    with client:
        topic = f"perfboard-{client.id}"
        client.subscribe_topic(topic, lambda event: note(*event[1]))
        executor = client.get_executor(pure=False)
        try:
            yield lambda task: executor.submit(_elsewhere, task, topic)
        finally:
            executor.shutdown(wait=False)
