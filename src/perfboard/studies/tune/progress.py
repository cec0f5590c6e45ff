# SPDX-License-Identifier: Apache-2.0
"""The progress of a tune: the best so far, the time left, and the tries under way."""

import time
from collections.abc import Callable

from perfboard.bench.workers.progress import WorkStep
from perfboard.model.progress import Step
from perfboard.model.units import format_value


class TuneStep:
    """The step of a whole tune; its methods report how tries begin, go on, and end.

    See `WorkStep`, of which it says the best so far and how many tries there may be.
    """

    def __init__(self, step: Step, clock: Callable[[], float] = time.monotonic) -> None:
        self._whole = WorkStep(step, clock)
        self.note = self._whole.note
        self._best_s: float | None = None
        self._tries = self._work = 0

    def expect(self, tries: int, work: int) -> None:
        """At most `tries` are left, with that `work` in boots."""
        self._tries, self._work = tries, work
        self._whole.tell(self._words(), work)

    def ended(self, work: int, best_s: float | None) -> None:
        """Adds `work` that was done since the last; the best so far takes `best_s`, if there is
        one."""
        self._best_s = best_s
        self._whole.tell(self._words(), self._work, work)

    def _words(self) -> list[str]:
        words = [f"best {format_value(self._best_s, 's')}"] if self._best_s is not None else []
        return words + ([f"at most {self._tries} tries"] if self._tries else [])
