# SPDX-License-Identifier: Apache-2.0
"""Combinations of levels, what they took, and which of them is best within limits.

A combination is what differs from the start.
"""

import itertools
import math
import statistics
from collections.abc import Callable, Hashable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from perfboard.analysis.boot.phases import total
from perfboard.analysis.statistics.summary import Interval, difference_interval
from perfboard.model.results.boot import Boot

Combination = frozenset[tuple[str, str]]
START: Combination = frozenset()
OTHER_PHASES = "other phases"
# The label of metrics of the start's boots between those of the proof.
PROOF_LABELS = {"levels": "start", "boots": "proof"}
# Up to this number, all combinations are tried.
FEW = 64
# The count of combinations stops here.
_MANY = 10_000
# A level makes phases faster where that is more than this share of what it costs in others:
# that may be less with other levels.
_WORTH = 0.05


@dataclass(frozen=True)
class Cost:
    """The cost of a combination: the whole and each phase in s, flash and memory in bytes."""

    total_s: float
    phases: Mapping[str, float]
    flash: int
    ram: int | None


# None stands for a combination that does not boot.
Known = MutableMapping[Combination, Cost | None]


@dataclass(frozen=True)
class Space:
    """The levels to combine: for each factor those that the best may have.

    A level of None is the start's. `possible` says without building whether a combination can
    be, and `kernel` is the same for those that have the same kernel, which takes longer to build
    than the rest of an image. `max_flash` and `max_ram` are limits in bytes, `most` how many
    combinations may be tried by a search that does not try all. A change below the share
    `resolution` of the boot counts as none.
    """

    levels: Mapping[str, Sequence[str | None]]
    possible: Callable[[Combination], bool] = lambda combination: True
    kernel: Callable[[Combination], Hashable] = lambda combination: None
    max_flash: int | None = None
    max_ram: int | None = None
    most: int = 100
    resolution: float = 1e-4

    @property
    def count(self) -> int:
        """How many combinations of the levels there are, possible or not."""
        return math.prod(len(levels) for levels in self.levels.values())

    @cached_property
    def all(self) -> tuple[Combination, ...]:
        """All that are possible; empty if there are too many to go through."""
        if self.count > _MANY:
            return ()
        combined = itertools.product(*self.levels.values())
        found = (
            frozenset((f, level) for f, level in zip(self.levels, each, strict=True) if level)
            for each in combined
        )
        return tuple(each for each in found if self.possible(each))

    def excess(self, flash: float, ram: float | None) -> float:
        """By how many bytes that is beyond the limits; memory that is not known is beyond."""
        over = max(0.0, flash - self.max_flash) if self.max_flash is not None else 0.0
        if self.max_ram is not None:
            over += math.inf if ram is None else max(0.0, ram - self.max_ram)
        return over

    def rank(self, measured: Cost) -> tuple[float, float]:
        """A key that is smaller for the better one: bytes beyond the limits, then time."""
        return self.excess(measured.flash, measured.ram), measured.total_s


def middle(boots: Sequence[Boot]) -> Boot:
    """The boot of the median total, of two the shorter; the first where none has a total."""
    timed = [(whole.duration_ns, boot) for boot in boots if (whole := total(boot))]
    timed.sort(key=lambda each: each[0])
    return timed[(len(timed) - 1) // 2][1] if timed else boots[0]


def totals_s(boots: Sequence[Boot]) -> list[float]:
    """The totals of the boots that have one, in s."""
    return [whole.duration_ns / 1e9 for boot in boots if (whole := total(boot))]


def middle_s(boots: Sequence[Boot]) -> float:
    """The total of the boot in the middle, in s. Raises ValueError where none has one."""
    return statistics.median_low(totals_s(boots))


def saving_interval(
    before: Sequence[Boot], after: Sequence[Boot], drift_s: float = 0.0
) -> Interval | None:
    """The mean total's decrease in `after`, in s; None if either is one boot.

    `drift_s` is the increase of the board's own time when `after` was booted. See
    `statistics.difference_interval`.
    """
    return difference_interval([t - drift_s for t in totals_s(after)], totals_s(before))


def changed(combination: Combination, factor: str, level: str | None) -> Combination:
    """The combination with another level of one factor."""
    rest = frozenset(item for item in combination if item[0] != factor)
    return rest | {(factor, level)} if level else rest


def allowed(space: Space, combination: Combination) -> bool:
    """Whether all its levels may be in the best; factors it does not name are at the start."""
    named = dict(combination)
    return all(named.get(factor) in levels for factor, levels in space.levels.items()) and (
        named.keys() <= space.levels.keys()
    )


def best_of(space: Space, known: Known) -> Combination | None:
    """The fastest of the allowed ones within the limits; of equals, that with fewer changes."""
    found = [
        (measured.total_s, len(each), sorted(each), each)
        for each, measured in known.items()
        if measured is not None
        and allowed(space, each)
        and not space.excess(measured.flash, measured.ram)
    ]
    return min(found)[-1] if found else None


def bound(space: Space, known: Known) -> float | None:
    """The sum of each phase's least time over what was tried and is allowed, in s.

    A phase that a boot has not takes it none. No boot is faster unless a combination makes a
    phase faster than any that was tried. None where nothing that is allowed was tried, or where a
    mark that some lack has joined phases of theirs: what each of these took is not known.
    """
    fit = [m for each, m in known.items() if m is not None and allowed(space, each)]
    names = {name for measured in fit for name in measured.phases}
    joined = any("+" in name for name in names)
    if not fit or (joined and any(measured.phases.keys() != names for measured in fit)):
        return None
    # The order of a set's names is another each time, and a plain sum's last digit with it.
    return math.fsum(min(measured.phases.get(name, 0.0) for measured in fit) for name in names)


def narrowed(space: Space, known: Known) -> Space:
    """The space without levels of which nothing is to be hoped: they made no phase faster.

    Neither alone, nor with any other level that they were tried with, nor did they take less of
    what is limited. Levels that did not boot alone are left out too, and those with the start's
    image. Levels that cannot be alone stay, and so does a level that the start must be left for.
    """

    def pays(before: Cost, after: Cost) -> bool:
        phases = effects(before, after).values()
        saved = max(before.total_s - after.total_s, sum(s for s in phases if s > 0))
        costs = -sum(s for s in phases if s < 0)
        smaller = space.max_flash is not None and after.flash < before.flash
        if space.max_ram is not None and after.ram is not None and before.ram is not None:
            smaller = smaller or after.ram < before.ram
        return smaller or saved > max(before.total_s * space.resolution, costs * _WORTH)

    def hopeful(factor: str, level: str | None) -> bool:
        if level is None or None not in space.levels[factor]:
            return True
        if known.get(alone := changed(START, factor, level)) is None:
            return alone not in known
        tried = (
            (known.get(changed(each, factor, None)), after)
            for each, after in known.items()
            if (factor, level) in each
        )
        return any(before and after and pays(before, after) for before, after in tried)

    return replace(
        space,
        levels={
            factor: [level for level in levels if hopeful(factor, level)]
            for factor, levels in space.levels.items()
        },
    )


def nearest(space: Space, known: Known) -> Combination:
    """The allowed one that is least beyond the limits, and of those the fastest.

    Among equals, the one with fewer changes.
    """
    found = [
        (space.rank(measured), len(each), sorted(each), each)
        for each, measured in known.items()
        if measured is not None and allowed(space, each)
    ]
    return min(found)[-1] if found else START


class TimedBoot(Protocol):
    """A time in s, as a whole and by phase."""

    @property
    def total_s(self) -> float:
        """The whole."""

    @property
    def phases(self) -> Mapping[str, float]:
        """Each phase, by name."""


def effects(base: TimedBoot, alone: TimedBoot) -> dict[str, float]:
    """The decrease of each phase from the start, in s.

    If one lacks a mark and so has joined phases, these count as one, OTHER_PHASES.
    """
    found = {
        name: base.phases[name] - alone.phases[name] for name in base.phases if name in alone.phases
    }
    if base.phases.keys() != alone.phases.keys():
        found[OTHER_PHASES] = base.total_s - alone.total_s - sum(found.values())
    return found
