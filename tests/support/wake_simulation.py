# SPDX-License-Identifier: Apache-2.0
"""A writer under a policy, simulated: which deadlines it would miss, and how often it would wake.

The sink is that of `native/kernel/perfboard_wake.c`. The writer runs when nothing more urgent
does; what is more urgent comes in bursts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from tests.support.wake_policy import Policy

# A stretch of time in which the writer does not run: its start and its end, in ns.
Burst = tuple[int, int]


@dataclass
class SimulatedPlayback:
    """The result of a simulated playback. `late` are the wakes of which a deadline was missed."""

    periods: int = 0
    wakes: int = 0
    missed: int = 0
    late: int = 0


def simulate(
    policy: Policy,
    buffers: int,
    period_ns: int,
    periods: int,
    bursts: Iterable[Burst],
    latencies: Iterable[int],
    fill_ns: int = 20_000,
) -> SimulatedPlayback:
    """Plays `periods` periods.

    `bursts` are in order, and do not overlap. `latencies` are those of the wakes without them, in
    ns, as many as are wanted; a buffer takes `fill_ns` to fill.
    """
    outcome = SimulatedPlayback()
    waiting, blocked = iter(bursts), (0, 0)
    delays = iter(latencies)
    queued, pending, ready = buffers, 0, 0
    played = 0  # releases so far
    ended = periods * period_ns

    def runs_at(now: int) -> int:
        """When the writer runs that could at `now`."""
        nonlocal blocked
        while blocked[1] <= now:
            following = next(waiting, None)
            if following is None:
                return now
            blocked = following
        return blocked[1] if blocked[0] <= now else now

    def play(until: int) -> None:
        """The releases up to `until`."""
        nonlocal queued, pending, ready, played
        while (played + 1) * period_ns <= until and played < periods:
            played += 1
            if queued:
                queued -= 1
                pending += 1
                if pending > policy.level:
                    ready, pending = ready + pending, 0
            if not queued:
                outcome.missed += 1

    now = 0
    while played < periods:
        # It sleeps until enough is gathered: after `more` releases.
        more = policy.level + 1 - pending
        woken = (played + max(more, 0)) * period_ns
        if woken > ended:
            play(ended)
            break
        play(woken)
        if more <= 0:
            ready, pending = ready + pending, 0
            woken = now
        outcome.wakes += 1
        missed = outcome.missed
        now = runs_at(max(now, woken + next(delays)))
        filled = 0
        while True:
            play(now)
            if not ready:
                break
            ready -= 1
            now = runs_at(now) + fill_ns
            play(now)
            queued += 1
            policy.note(now, max(0, now - woken - filled * period_ns))
            policy.choose(now)
            filled += 1
        outcome.late += outcome.missed > missed
    outcome.periods = played
    return outcome


def random_bursts(
    random: Random, length_ns: int, every_ns: int, start_ns: int = 0, end_ns: int | None = None
) -> Iterator[Burst]:
    """Bursts of that length, with pauses of half to one and a half times `every_ns` between."""
    now = start_ns
    while True:
        now += every_ns // 2 + random.randrange(every_ns)
        if end_ns is not None and now + length_ns > end_ns:
            return
        yield now, now + length_ns
        now += length_ns


def in_turn(random: Random, length_ns: int, every_ns: int, turn_ns: int) -> Iterator[Burst]:
    """Idle for a turn, bursts for a turn, and so on."""
    start = turn_ns
    while True:
        yield from random_bursts(random, length_ns, every_ns, start, start + turn_ns)
        start += 2 * turn_ns


def drawn(random: Random, histogram: list[tuple[int, int]]) -> Iterator[int]:
    """Latencies of a recorded histogram: pairs of a latency in ns, and how often it came."""
    values, weights = zip(*histogram, strict=True)
    while True:
        yield from random.choices(values, weights, k=4096)
