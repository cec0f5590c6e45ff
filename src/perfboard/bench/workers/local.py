# SPDX-License-Identifier: Apache-2.0
"""Work in the background, on this machine's processors."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isinf
from threading import Event
from typing import Any

from perfboard.bench.lab import Lab
from perfboard.bench.workers.work import Note, Outcome, Submit, Work
from perfboard.model.errors import Cancelled
from perfboard.model.progress import Step


class _Inner:
    """The steps of work, each of which is noted; here it looks whether it is still wanted."""

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


def noted(work: Work[Outcome], lab: Lab, note: Note, cancelled: Event) -> Outcome:
    """The outcome of work; `note` gets what is being done for it."""
    try:
        progress = _Inner(partial(note, work.title), cancelled)
        return work.run(replace(lab, progress=progress), cancelled)
    finally:
        note(work.title, "")


@contextmanager
def local_workers(lab: Lab, note: Note) -> Iterator[Submit[Any]]:
    """A function that does work in the background, on this machine's processors.

    `note` gets what is being done, from any thread. Left early, no more work is begun, and what is
    under way is given up.
    """
    cancelled = Event()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            yield lambda work: pool.submit(noted, work, lab, note, cancelled)
        finally:
            cancelled.set()
            pool.shutdown(cancel_futures=True)
