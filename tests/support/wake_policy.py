# SPDX-License-Identifier: Apache-2.0
"""Which trigger level a writer of audio buffers uses: fixed, of two, or adaptive.

A semaphore of trigger level L gathers L + 1 released buffers and then wakes the writer once
(wake-up study, 2008). At that moment buffers - 1 - L of the `buffers` buffers are filled: the
writer has a slack of as many periods. All times are whole nanoseconds.

**Needed.** The writer fills buffer j of a wake (j from 0) at the time f(j) after the release that
woke it. Each buffer filled gives it a period more, so of the slack it needed

    n = max over j of f(j) - j * period.

A deadline is missed in that wake if and only if n > slack(L): buffer j is due slack(L) + j *
period after the release.

**Adaptive.** After a wake that needed n, no level whose slack is below n + n/8 is used for
HOLD_NS. Otherwise the level rises by one each RISE_NS, and it begins at 0. That is a sliding
maximum over the last HOLD_NS, kept for each level as one instant. It guarantees, whatever the
load does:

1. Above level 0 a wake is late only if it needed more than 9/8 of what any wake of the last HOLD_NS
   needed: if one had needed m, then slack(L) >= m + m/8, or L would not be in use. So bursts that
   are all of one length cost a late wake only after HOLD_NS without a long wake.
2. After a late wake at level L, levels from L up are held: within HOLD_NS each further late wake is
   at a lower level, so there are at most buffers - 1.
3. Let wakes that need more than 8/9 of slack(L) come as a Poisson process of any rate r, a share
   q of them needing more than slack(L). A late wake at L needs HOLD_NS without one: they come at
   most at the rate r * q * exp(-r * HOLD_NS), which is greatest at r = 1 / HOLD_NS: q / (e *
   HOLD_NS), one in 93 s / q. At level L that is a share of at most q * (L + 1) * period / 93 s of
   the wakes, 1 in 2300 for 5.8 ms, 8 buffers and q = 1; at ten bursts in HOLD_NS, 1 in 2e6.

The reasoning in 3 is that of any maximum over a window: the source of the idea is the sliding
maximum of a leaky peak detector, whose leak would forget the peak between two bursts.
`native/kernel/perfboard_wake_policy.h` is the same policy in C.
"""

from typing import Protocol

from perfboard.analysis.wakeups.advice import slack_ns

# Powers of two, near 34 s and 2.1 s.
HOLD_NS = 1 << 35
RISE_NS = 1 << 31


class Policy(Protocol):
    """Chooses the level. `now_ns` never goes back."""

    @property
    def level(self) -> int:
        """The level in use."""

    def note(self, now_ns: int, needed_ns: int) -> None:
        """A buffer was filled at `now_ns`, when `needed_ns` of its wake's slack had gone."""

    def choose(self, now_ns: int) -> int:
        """The level to use from `now_ns` on."""


class FixedPolicy:
    """One level for ever: the wake-up study's."""

    def __init__(self, level: int) -> None:
        self.level = level

    def note(self, now_ns: int, needed_ns: int) -> None:
        """See `Policy`."""

    def choose(self, now_ns: int) -> int:
        return self.level


class TwoLevel:
    """The wake-up study's idea: a low level when the system is busy, a high one when it is idle.

    Busy is a system in which the last wake, or one in the last second, needed a whole period.
    """

    def __init__(self, low: int, high: int, period_ns: int) -> None:
        self.level, self._low, self._high, self._period = low, low, high, period_ns
        self._busy_until = 0

    def note(self, now_ns: int, needed_ns: int) -> None:
        if needed_ns > self._period:
            self._busy_until = now_ns + 10**9

    def choose(self, now_ns: int) -> int:
        self.level = self._low if now_ns < self._busy_until else self._high
        return self.level


class Adaptive:
    """The highest level that covers what recent wakes needed; see above."""

    def __init__(self, buffers: int, period_ns: int, now_ns: int = 0) -> None:
        self.level = 0
        self._buffers, self._period, self._raised = buffers, period_ns, now_ns
        self._until = [now_ns + level * RISE_NS for level in range(buffers - 1)]

    def note(self, now_ns: int, needed_ns: int) -> None:
        needed_ns += needed_ns >> 3
        for level in range(self._buffers - 2, 0, -1):
            if slack_ns(self._buffers, level, self._period) >= needed_ns:
                break
            self._until[level] = now_ns + HOLD_NS

    def choose(self, now_ns: int) -> int:
        most = 0
        while most + 2 < self._buffers and self._until[most + 1] <= now_ns:
            most += 1
        if most < self.level:
            self.level, self._raised = most, now_ns
        elif most > self.level and now_ns - self._raised >= RISE_NS:
            self.level, self._raised = self.level + 1, now_ns
        return self.level
