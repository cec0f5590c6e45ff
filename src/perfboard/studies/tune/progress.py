# SPDX-License-Identifier: Apache-2.0
"""The progress of a tune: the best so far, the time left, and the tries under way."""

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

from perfboard.model.progress import Step
from perfboard.model.units import format_value

# The speed is that of the last tries: the first may have come from the cache.
_RECENT = 20
_SHOWN = 2


class TuneStep:
    """The step of a whole tune; its methods report how tries begin, go on, and end.

    Its note has two lines: the best with the time left, and what is being tried. Notes may come
    from any thread. `clock` gives seconds.
    """

    def __init__(self, step: Step, clock: Callable[[], float] = time.monotonic) -> None:
        self._step, self._clock = step, clock
        # When so much work was done.
        self._ends: deque[tuple[float, int]] = deque([(clock(), 0)], maxlen=_RECENT)
        self._best_s: float | None = None
        self._tries = self._work = 0
        self._doing: dict[str, str] = {}
        self._lock = Lock()

    def expect(self, tries: int, work: int) -> None:
        """At most `tries` are left, with that `work` in boots."""
        with self._lock:
            self._tries, self._work = tries, work
            self._show()

    def ended(self, work: int, best_s: float | None) -> None:
        """Adds `work` that was done since the last; the best so far takes `best_s`, if there is
        one."""
        with self._lock:
            self._best_s = best_s
            self._ends.append((self._clock(), self._ends[-1][1] + work))
            self._show()

    def note(self, levels: str, doing: str) -> None:
        """Shows the work at hand for a combination; "" when that has ended."""
        with self._lock:
            if doing:
                self._doing[levels] = doing
            else:
                self._doing.pop(levels, None)
            self._show()

    def _show(self) -> None:
        words = [f"best {format_value(self._best_s, 's')}"] if self._best_s is not None else []
        words += [f"at most {self._tries} tries"] if self._tries else []
        left_s = self._left_s()
        words += [f"{_in_words(left_s)} left"] if left_s is not None else []
        doing = [f"{levels}: {what}" for levels, what in self._doing.items()]
        more = [f"and {len(doing) - _SHOWN} more"] if len(doing) > _SHOWN else []
        self._step.update(0, ", ".join(words) + "\n" + "; ".join(doing[:_SHOWN] + more))

    def _left_s(self) -> float | None:
        """The time that the remaining work takes, at the recent speed; None if nothing was done.

        Unfinished work, such as a kernel, counts as time only: the longer it takes, the slower the
        tune seems.
        """
        (began, before), (_, now) = self._ends[0], self._ends[-1]
        if not self._work or now == before:
            return None
        return (self._clock() - began) / (now - before) * self._work


def _in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
