# SPDX-License-Identifier: Apache-2.0
"""Who makes the tries: this machine's processors, or machines that Dask Distributed knows."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress, Step
from perfboard.studies.tuning_boot import Attempt, Task, attempt
from perfboard.targets.base import Cancelled

Submit = Callable[[Task], "Future[Attempt]"]
_CONNECT_S = 10


class NotedProgress:
    """A Progress of one step at a time, to which notes can be added from any thread."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._step: Step | None = None
        self._done = 0.0

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        """See `model.progress.Progress`."""
        with self._progress.step(title, total) as self._step:
            self._done = 0.0
            try:
                yield self
            finally:
                self._step = None

    def update(self, done: float, note: str = "") -> None:
        """See `model.progress.Step`."""
        self._done = done
        self.note(note)

    def note(self, text: str) -> None:
        """Says what is being done in the step that is under way."""
        if self._step is not None:
            self._step.update(self._done, text)


class _Inner:
    """The steps of a try, of which only notes are shown; where it looks whether it is wanted."""

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
def workers(scheduler: str | None, note: Callable[[str], None]) -> Iterator[Submit]:
    """What makes an attempt of a task in the background.

    `note` is told what is being built here. Left early, no more attempts are begun, and those
    under way are given up. Raises EnvironmentLacksError where the scheduler is not to be had.
    """
    if scheduler is not None:
        with _distributed(scheduler) as submit:
            yield submit
        return
    cancelled = Event()
    progress = _Inner(note, cancelled)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            yield lambda task: pool.submit(attempt, task, progress, cancelled)
        finally:
            cancelled.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def _distributed(address: str) -> Iterator[Submit]:
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
        executor = client.get_executor(pure=False)
        try:
            yield lambda task: executor.submit(attempt, task)
        finally:
            executor.shutdown(wait=False)
