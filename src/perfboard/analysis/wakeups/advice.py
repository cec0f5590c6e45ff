# SPDX-License-Identifier: Apache-2.0
"""Which trigger to use, by what the playbacks needed and missed."""

from collections.abc import Mapping, Sequence
from statistics import median

from perfboard.model.results.wakeups import Playback, PublishedWakeups
from perfboard.model.units import format_value

# The wake-up study: an ARM926 at 192 MHz, kernel 2.6.10, 8 buffers of 1024 bytes at 44.1 kHz. Its
# switches were counted while files were copied.
PUBLISHED = (
    PublishedWakeups(
        level="3",
        switches=-0.65,
        copies=0.0319,
        power=-0.0192,
        source="the wake-up study of 2008, an ARM926 at 192 MHz with kernel 2.6.10",
    ),
)
# The ways of which one is advised, the best first.
_WAYS = ("sink", "alsa", "slack", "timer")
_MOST_TIME = (
    "though it leaves the most time: something else than the trigger keeps the writer from waking"
)


def advise(playbacks: Sequence[Playback], buffers: int, period_ns: int) -> tuple[str, str, str]:
    """The way, its trigger, and why: ("", "", why) where no trigger is safe.

    The trigger is the highest that missed nothing under any load, nor did those below it, whose
    slack is an eighth more than the most that a wake of that way needed, and that has fewer
    context switches than trigger 0.
    """
    for way in _WAYS:
        played = [each for each in playbacks if each.way == way and not each.refused]
        fixed = [each for each in played if each.level != "adaptive"]
        if not fixed:
            continue
        needed = max(needed_of(each) for each in played)
        missing = {each.level for each in played if each.missed}
        levels = sorted({int(each.level) for each in fixed}, reverse=True)
        lowest = str(levels[-1])
        if lowest in missing:
            missed = sum(each.missed for each in fixed if each.level == lowest)
            return "", "", f"trigger {lowest} missed {missed:,} deadlines, {_MOST_TIME}"
        safe = [
            level
            for level in levels
            if slack_ns(buffers, level, period_ns) >= needed + needed // 8
            and not any(str(each) in missing for each in levels if each <= level)
        ]
        spared = {level: more for level in safe if (more := _more(fixed, level)) is not None}
        for level in safe:
            if spared.get(level, -1.0) < 0:
                slack = slack_ns(buffers, level, period_ns)
                because = _because(level, levels, needed, slack, missing, period_ns)
                return way, str(level), because + _spares_nothing(level, spared)
        return (
            "",
            "",
            f"no trigger that was measured leaves {_time(needed)} and an eighth, which a wake "
            "needed: use more buffers, or longer ones",
        )
    return "", "", "nothing could be played"


def _more(fixed: Sequence[Playback], level: int) -> float | None:
    """How many more context switches a trigger has than trigger 0, as a share: of the idle system.

    None: one of the two was not measured, or it is trigger 0.
    """
    rates = {
        each: [one.switches / one.elapsed_s for one in fixed if _is(one, each)]
        for each in (0, level)
    }
    if not level or not all(rates.values()):
        return None
    return change(median(rates[level]), median(rates[0]))


def _is(playback: Playback, level: int) -> bool:
    return (playback.level, playback.load) == (str(level), "idle") and playback.elapsed_s > 0


def _spares_nothing(level: int, spared: Mapping[int, float]) -> str:
    """The safe triggers above that have no fewer switches, in words."""
    above = [each for each in spared if each > level]
    return "".join(
        f"; trigger {each} has no fewer context switches than trigger 0 "
        f"({spared[each]:+.1%} when idle)"
        for each in above
    )


def slack_ns(buffers: int, level: int, period_ns: int) -> int:
    """The time from the release that wakes the writer until a buffer is due that is not filled.

    The writer sleeps until `level` and one of the `buffers` are released; the others are filled.
    """
    return (buffers - 1 - level) * period_ns


def by_mode(playbacks: Sequence[Playback]) -> dict[tuple[str, str, str], list[Playback]]:
    """The playbacks by load, way and trigger, in their order."""
    found: dict[tuple[str, str, str], list[Playback]] = {}
    for each in playbacks:
        found.setdefault((each.load, each.way, each.level), []).append(each)
    return found


def needed_of(playback: Playback) -> int:
    """The most of its slack that a wake needed, in ns; where that is unknown, its latency."""
    return playback.latency_max_ns if playback.needed_ns is None else playback.needed_ns


def _because(
    level: int,
    levels: Sequence[int],
    needed: int,
    slack: int,
    missing: set[str],
    period_ns: int,
) -> str:
    words = (
        f"the slowest wake needed {_time(needed)} to fill a buffer, and trigger {level} leaves it "
        f"{_time(slack)}"
    )
    above = [each for each in levels if each > level]
    missed = [str(each) for each in above if str(each) in missing]
    if missed:
        words += f"; trigger {' and '.join(missed)} missed deadlines"
    elif above and slack - (above[-1] - level) * period_ns < needed + needed // 8:
        words += f"; trigger {above[-1]} leaves too little"
    return words


def _time(ns: int) -> str:
    return format_value(ns / 1e9, "s")


def change(value: float, before: float) -> float | None:
    """How much more a figure is than before, as a share; None where there was none."""
    return value / before - 1 if before else None
