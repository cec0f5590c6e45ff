# SPDX-License-Identifier: Apache-2.0
"""Makes tries in the background, on this machine's processors."""

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isinf
from threading import Event

from perfboard.analysis.tune.combinations import Combination
from perfboard.bench.lab import Lab
from perfboard.model.errors import Cancelled
from perfboard.model.progress import Step
from perfboard.studies.tune.task import Task, TaskResult, run_task

# Runs tasks, by their combinations, and gives each result as it ends; again if booted again.
Make = Callable[[Mapping[Combination, Task]], Iterator[tuple[Combination, TaskResult]]]
Submit = Callable[[Task], "Future[TaskResult]"]
# Gets a combination, and the work at hand for it, or "" when that has ended.
Note = Callable[[str, str], None]


class _Inner:
    """The steps of a try, each of which is noted; here it looks whether it is still wanted."""

    def __init__(self, note: Callable[[str], None], cancelled: Event) -> None:
        self._note, self._cancelled = note, cancelled

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
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


def noted(task: Task, lab: Lab, note: Note, cancelled: Event) -> TaskResult:
    """The result of a task; `note` gets the work at hand."""
    try:
        progress = _Inner(partial(note, task.title), cancelled)
        return run_task(task, replace(lab, progress=progress), cancelled)
    finally:
        note(task.title, "")


@contextmanager
def local_workers(lab: Lab, note: Note) -> Iterator[Submit]:
    """A function that runs a task in the background, on this machine's processors.

    `note` gets the work at hand, from any thread. Left early, no more tasks are begun, and
    those under way are given up.
    """
    cancelled = Event()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            yield lambda task: pool.submit(noted, task, lab, note, cancelled)
        finally:
            cancelled.set()
            pool.shutdown(cancel_futures=True)


def as_they_end(submit: Submit) -> Make:
    """A function that runs tasks at once, and gives each result as it ends. Raises a task's
    errors."""

    def make(tasks: Mapping[Combination, Task]) -> Iterator[tuple[Combination, TaskResult]]:
        pending = {submit(task): combination for combination, task in tasks.items()}
        for future in as_completed(pending):
            yield pending[future], future.result()

    return make
