# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: a bar in a terminal, a line now and then in a log."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from perfboard.host.cache.waiting import TellingProgress
from perfboard.model.progress import Progress, Step

if TYPE_CHECKING:
    from rich.console import Console

# From this number of columns on there is room for a longer bar.
_WIDE = 100


class TerminalProgress:
    """A bar, on standard error where no console is given."""

    def __init__(self, console: "Console | None" = None) -> None:
        self._console = console

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        from rich.console import Console, RenderableType
        from rich.progress import (
            BarColumn,
            TaskID,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as RichProgress
        from rich.table import Column
        from rich.text import Text

        class _StepBars(RichProgress):
            """Next to the bar the note has what room there is, below it the whole width."""

            def get_renderables(self) -> Iterator[RenderableType]:
                yield self.make_tasks_table(self.tasks)
                for task in self.tasks:
                    if below := task.fields["note"].partition("\n")[2]:
                        yield Text(f"  {below}", no_wrap=True, overflow="ellipsis")

        console = self._console or Console(stderr=True)
        known = math.isfinite(total)
        left = [TextColumn("left"), TimeRemainingColumn()] if known else []
        percent = [TextColumn("{task.percentage:>3.0f}%")] if known else []
        wide = known and console.width >= _WIDE
        room = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        bars = _StepBars(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24 if wide else 8),
            *percent,
            TimeElapsedColumn(),
            *left,
            TextColumn("{task.fields[line]}", markup=False, table_column=room),
            console=console,
            expand=True,
        )

        class _StepBar:
            def __init__(self, task: TaskID) -> None:
                self._task = task

            def update(self, done: float, note: str = "") -> None:
                line = note.partition("\n")[0]
                bars.update(self._task, completed=done, note=note, line=line)

        with bars:
            yield _StepBar(bars.add_task(title, total=total if known else None, note="", line=""))


class _LogStep:
    def __init__(self, title: str, total: float, every_s: float) -> None:
        self._title, self._total, self._every_s = title, total, every_s
        self._began = time.monotonic()
        # The first note is all that tells how long work without an end may take.
        self._last = -math.inf if math.isinf(total) else self._began

    def update(self, done: float, note: str = "") -> None:
        now = time.monotonic()
        if now - self._last < self._every_s or not 0 <= done <= self._total or not (done or note):
            return
        self._last = now
        if math.isinf(self._total) or not done:
            lines = "\n  ".join(line for line in note.split("\n") if line)
            print(f"{self._title}: {lines}", file=sys.stderr, flush=True)
            return
        left = (now - self._began) * (self._total - done) / done
        print(
            f"{self._title}: {100 * done / self._total:.0f}%, about {left:.0f} s left"
            + (f", {note}" if note else ""),
            file=sys.stderr,
            flush=True,
        )


class LogProgress:
    """A line when a step begins and ends, and between them at most one every few seconds."""

    def __init__(self, every_s: float = 10.0) -> None:
        self._every_s = every_s

    @contextmanager
    def step(self, title: str, total: float) -> Iterator[Step]:
        began = time.monotonic()
        print(f"{title} ...", file=sys.stderr, flush=True)
        yield _LogStep(title, total, self._every_s)
        print(f"{title}: {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)


def progress() -> Progress:
    """Progress that suits what standard error is."""
    return TellingProgress(TerminalProgress() if sys.stderr.isatty() else LogProgress())
