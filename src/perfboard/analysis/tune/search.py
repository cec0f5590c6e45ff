# SPDX-License-Identifier: Apache-2.0
"""The search for the combination of levels that boots fastest within limits.

Combinations that were not booted are estimated. The effect of a change of one factor is taken from
two boots that differ only in it, or from two such pairs with a third level between them, as similar
to the new combination as possible. Changes of two factors are added up. So each boot of the search
improves the next estimates.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from perfboard.analysis.tune.combinations import (
    FEW,
    START,
    Combination,
    Cost,
    Known,
    Space,
    changed,
    effects,
    nearest,
)

# Promising combinations are booted in small batches, since each boot improves the estimates.
_AT_ONCE = 4
# A change is booted to be sure if it is estimated to cost less than this share of the boot.
_DOUBT = 0.05
_Change = tuple[str, str | None]


@dataclass(frozen=True)
class _Effect:
    """The increase by a change: in all and by phase in s, flash and memory in bytes."""

    total_s: float = 0.0
    phases: Mapping[str, float] = field(default_factory=dict)
    flash: int = 0
    ram: int = 0

    def on(self, measured: Cost) -> Cost:
        """An estimate of what a combination takes with the change."""
        return Cost(
            total_s=measured.total_s + self.total_s,
            phases={name: s + self.phases.get(name, 0.0) for name, s in measured.phases.items()},
            flash=measured.flash + self.flash,
            ram=None if measured.ram is None else measured.ram + self.ram,
        )

    def then(self, other: "_Effect") -> "_Effect":
        """Both changes, one after the other."""
        names = self.phases.keys() | other.phases.keys()
        return _Effect(
            self.total_s + other.total_s,
            {n: self.phases.get(n, 0.0) + other.phases.get(n, 0.0) for n in sorted(names)},
            self.flash + other.flash,
            self.ram + other.ram,
        )


class _Effects:
    """The measured effects of changes of one factor."""

    def __init__(self, space: Space, known: Known) -> None:
        self._weights = {factor: _weight(space, known, factor) for factor in space.levels}
        self._beside: dict[str, dict[Combination, dict[str | None, Cost]]] = {
            factor: {} for factor in space.levels
        }
        self._sorted: dict[tuple[Combination, str], list[tuple[float, dict[str | None, Cost]]]] = {}
        for combination, measured in known.items():
            if measured is None:
                continue
            level_of = dict(combination)
            for factor, beside in self._beside.items():
                rest = changed(combination, factor, None)
                beside.setdefault(rest, {})[level_of.get(factor)] = measured

    def of(self, here: Combination, change: _Change) -> _Effect:
        """The estimated effect of the change on `here`; nothing if none is known.

        It comes from the nearest pair of boots, or two pairs with a third level between them.
        """
        factor, new = change
        old = dict(here).get(factor)
        beside = self._by_distance(here, factor)

        def compared(one: str | None, other: str | None) -> tuple[float, _Effect] | None:
            found = ((d, levels) for d, levels in beside if one in levels and other in levels)
            distance, levels = next(found, (0.0, None))
            return (distance, _between(levels[one], levels[other])) if levels else None

        direct = compared(old, new)
        ways = [direct] if direct else []
        between = {level for _, levels in beside for level in levels} - {old, new}
        for level in sorted(between, key=str):
            first, second = compared(old, level), compared(level, new)
            if first and second:
                ways.append((first[0] + second[0], first[1].then(second[1])))
        return min(ways, key=lambda way: way[0])[1] if ways else _Effect()

    def _by_distance(
        self, here: Combination, factor: str
    ) -> list[tuple[float, dict[str | None, Cost]]]:
        """The measurements at levels of the factor, the nearest to `here` first."""
        if (here, factor) not in self._sorted:
            found = [
                (self._distance(here, rest, factor), sorted(rest), levels)
                for rest, levels in self._beside[factor].items()
                if len(levels) > 1
            ]
            found.sort(key=lambda each: each[:2])
            self._sorted[here, factor] = [(distance, levels) for distance, _, levels in found]
        return self._sorted[here, factor]

    def _distance(self, here: Combination, rest: Combination, factor: str) -> float:
        """How much the factors move that have another level, besides the one that is changed."""
        other = {name for name, _ in here ^ rest} - {factor}
        return sum(self._weights.get(name, 0.0) for name in sorted(other))


def _between(before: Cost, after: Cost) -> _Effect:
    both = before.ram is not None and after.ram is not None
    return _Effect(
        after.total_s - before.total_s,
        {name: -saved for name, saved in effects(before, after).items()},
        after.flash - before.flash,
        (after.ram or 0) - (before.ram or 0) if both else 0,
    )


def search(space: Space, known: Known) -> Iterator[list[Combination]]:
    """Batches to measure; whoever runs it adds each to `known` before asking for the next.

    `known` has the start, and of each level what it does alone where that was measured.
    """
    left = [each for each in space.all if each not in known]
    if space.all and len(left) <= FEW:
        if left:
            yield left
        return
    most = len(known) + space.most
    start = predicted(space, known)
    if start not in known:
        yield [start]
    while batch := _promising(space, known)[: most - len(known)]:
        yield batch


def predicted(space: Space, known: Known) -> Combination:
    """The best by estimates alone, from the start a change at a time.

    The levels that a factor must leave the start for come first.
    """
    base = known[START]
    assert base is not None  # noqa: S101 - without it nothing is searched
    found = _Effects(space, known)
    here, measured = START, base
    # Estimates with different combinations may contradict each other: then there is no end.
    for _ in range(4 * len(space.levels)):
        level_of = dict(here)
        forced = [f for f, levels in space.levels.items() if level_of.get(f) not in levels]
        choices = []
        for factor in forced or space.levels:
            for level in space.levels[factor]:
                candidate = changed(here, factor, level)
                if candidate == here or not space.possible(candidate):
                    continue
                estimate = found.of(here, (factor, level)).on(measured)
                choices.append((space.rank(estimate), sorted(candidate), candidate, estimate))
        if not choices:
            break
        rank, _, candidate, estimate = min(choices, key=lambda choice: choice[:2])
        if not forced and rank >= space.rank(measured):
            break
        here, measured = candidate, estimate
    return here


def _promising(space: Space, known: Known) -> list[Combination]:
    """The combinations to measure next: one change from the best known, or two.

    First those estimated to be better. Then single changes that might be; then pairs that each cost
    in the same phase, and would be better if they did not together, if they need no kernel of their
    own. Combinations whose kernel was measured come first.
    """
    here = nearest(space, known)
    measured = known[here]
    assert measured is not None  # noqa: S101 - the start has booted
    found, kernels = _Effects(space, known), {space.kernel(each) for each in known}
    now = space.rank(measured)
    better = now[0], now[1] * (1 - space.resolution)
    level_of = dict(here)
    singles: list[tuple[_Change, _Effect]] = [
        ((factor, level), found.of(here, (factor, level)))
        for factor, levels in space.levels.items()
        for level in levels
        if level != level_of.get(factor)
    ]
    hopes: list[tuple[int, bool, tuple[float, float], list[tuple[str, str]], Combination]] = []

    def hope(kind: int, estimate: Cost, candidate: Combination) -> None:
        if candidate in known or not space.possible(candidate):
            return
        new = space.kernel(candidate) not in kernels
        if kind < 2 or not new:
            hopes.append((kind, new, space.rank(estimate), sorted(candidate), candidate))

    for change, effect in singles:
        estimate = effect.on(measured)
        excess, total_s = space.rank(estimate)
        if (excess, total_s) < better:
            hope(0, estimate, changed(here, *change))
        elif excess <= now[0] and total_s < measured.total_s * (1 + _DOUBT):
            hope(1, estimate, changed(here, *change))
    for (one, first), (other, second) in itertools.combinations(singles, 2):
        if one[0] == other[0]:
            continue
        estimate = second.on(first.on(measured))
        candidate = changed(changed(here, *one), *other)
        if space.rank(estimate) < better:
            hope(0, estimate, candidate)
        elif estimate.total_s - _shared_cost(first, second) < measured.total_s:
            hope(2, estimate, candidate)
    hopes.sort(key=lambda each: each[:-1])
    batch = [each[-1] for each in hopes if each[:2] == hopes[0][:2]]
    return batch if hopes and hopes[0][0] else batch[:_AT_ONCE]


def _shared_cost(one: _Effect, other: _Effect) -> float:
    """The cost of both in the same phases, in s."""
    return sum(
        one.phases[name] + seconds
        for name, seconds in other.phases.items()
        if seconds > 0 and one.phases.get(name, 0.0) > 0
    )


def _weight(space: Space, known: Known, factor: str) -> float:
    """How much the factor moves: the most that one of its levels changes any phase by, in s."""
    base = known[START]
    singles = [known.get(changed(START, factor, level)) for level in space.levels[factor]]
    found = [effects(base, one) for one in singles if one is not None and base is not None]
    return max((abs(s) for each in found for s in each.values()), default=0.0)
