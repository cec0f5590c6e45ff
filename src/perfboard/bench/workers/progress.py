# SPDX-License-Identifier: Apache-2.0
"""The progress of work in the background: words on the whole, the time left, and the work under
way."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock

from perfboard.model.progress import Step

# The speed is that of the last work: the first may have come from the cache.
_RECENT = 20
_SHOWN = 2


class WorkStep:
    """The step of all the work; its methods report how work begins, goes on, and ends.

    Its note has two lines: the words on the whole with the time left, and what is being done. Notes
    may come from any thread. `clock` gives seconds.
    """

    def __init__(self, step: Step, clock: Callable[[], float] = time.monotonic) -> None:
        self._step, self._clock = step, clock
        # When so much work was done.
        self._ends: deque[tuple[float, float]] = deque([(clock(), 0)], maxlen=_RECENT)
        self._words: tuple[str, ...] = ()
        self._left: float = 0
        self._doing: dict[str, str] = {}
        self._lock = Lock()

    def tell(self, words: Sequence[str], left: float, done: float = 0) -> None:
        """Shows the words and the work that is left, after `done` since the last time."""
        with self._lock:
            self._words, self._left = tuple(words), left
            if done:
                self._ends.append((self._clock(), self._ends[-1][1] + done))
            self._show()

    def note(self, title: str, doing: str) -> None:
        """Shows what is being done for the work of that title; "" when that has ended."""
        with self._lock:
            if doing:
                self._doing[title] = doing
            else:
                self._doing.pop(title, None)
            self._show()

    def _show(self) -> None:
        left_s = self._left_s()
        words = [*self._words, *([f"{_in_words(left_s)} left"] if left_s is not None else [])]
        doing = [f"{title}: {what}" for title, what in self._doing.items()]
        more = [f"and {len(doing) - _SHOWN} more"] if len(doing) > _SHOWN else []
        self._step.update(0, ", ".join(words) + "\n" + "; ".join(doing[:_SHOWN] + more))

    def _left_s(self) -> float | None:
        """The time that the remaining work takes, at the recent speed; None if nothing was done.

        Unfinished work, such as a kernel, counts as time only: the longer it takes, the slower all
        seems.
        """
        (began, before), (_, now) = self._ends[0], self._ends[-1]
        if not self._left or now == before:
            return None
        return (self._clock() - began) / (now - before) * self._left


def _in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
