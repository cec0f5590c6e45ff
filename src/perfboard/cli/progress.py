# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: a bar in a terminal, a line now and then in a log."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from perfboard.model.progress import Progress, Step

_LOG_EVERY_S = 10.0


class _TerminalProgress:
    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            TaskID,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as RichProgress

        known = math.isfinite(total)
        left = [TextColumn("left"), TimeRemainingColumn()] if known else []
        percent = [TextColumn("{task.percentage:>3.0f}%")] if known else []
        longest = 28 if known else 120
        bars = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24 if known else 8),
            *percent,
            TimeElapsedColumn(),
            *left,
            TextColumn("{task.fields[note]}", markup=False),
            console=Console(stderr=True),
        )

        class _Bar:
            def __init__(self, task: TaskID) -> None:
                self._task = task

            def update(self, done: float, note: str = "") -> None:
                bars.update(self._task, completed=done, note=note[:longest])

        with bars:
            yield _Bar(bars.add_task(title, total=total if known else None, note=""))


class _LogStep:
    def __init__(self, title: str, total: float) -> None:
        self._title, self._total = title, total
        self._began = self._said = time.monotonic()

    def update(self, done: float, note: str = "") -> None:
        now = time.monotonic()
        if now - self._said < _LOG_EVERY_S or not 0 <= done <= self._total or not (done or note):
            return
        self._said = now
        if math.isinf(self._total) or not done:
            print(f"{self._title}: {note}", file=sys.stderr, flush=True)
            return
        left = (now - self._began) * (self._total - done) / done
        print(
            f"{self._title}: {100 * done / self._total:.0f}%, about {left:.0f} s left"
            + (f", {note}" if note else ""),
            file=sys.stderr,
            flush=True,
        )


class _LogProgress:
    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        began = time.monotonic()
        print(f"{title} ...", file=sys.stderr, flush=True)
        yield _LogStep(title, total)
        print(f"{title}: {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)


def progress() -> Progress:
    """Progress that suits what standard error is."""
    return _TerminalProgress() if sys.stderr.isatty() else _LogProgress()
