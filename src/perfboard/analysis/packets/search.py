# SPDX-License-Identifier: Apache-2.0
"""The highest load without loss, searched as RFC 9971 (MLRsearch) says.

A pure function of the trials so far names the next one. Trials get longer from phase to phase,
and the interval narrower; the bounds of the last phase rest on trials of the whole length.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Goal:
    """A search goal, by the attributes of the RFC.

    A load is a lower bound if, of `sum_s` seconds of trials of `final_s` each, at most the share
    `exceed` lost more than `loss` of their requests. The search ends when the bounds are within
    `width` of each other; its first trials take `initial_s`.
    """

    loss: float = 0.0
    exceed: float = 0.34
    final_s: float = 3.0
    sum_s: float = 9.0
    width: float = 0.005
    initial_s: float = 0.5


@dataclass(frozen=True)
class Trial:
    """A trial to make: requests a second, and for how long."""

    load: float
    duration_s: float


@dataclass(frozen=True)
class LoadResult:
    """A trial that counts, and the share of its requests that was lost."""

    load: float
    duration_s: float
    lost: float


@dataclass(frozen=True)
class Bounds:
    """The greatest load that is a lower bound, and the least that is an upper one.

    None: there is none within the limits of the search.
    """

    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class _SearchPhase:
    duration_s: float
    sum_s: float
    width: float


# Each phase's trials are longer than those before.
_PHASES = 3


def _phases(goal: Goal) -> Iterator[_SearchPhase]:
    growth = (goal.final_s / goal.initial_s) ** (1 / (_PHASES - 1))
    for left in range(_PHASES - 1, 0, -1):
        duration = goal.final_s / growth**left
        yield _SearchPhase(duration, duration, goal.width * 2.0**left)
    yield _SearchPhase(goal.final_s, goal.sum_s, goal.width)


def _is_full(trial: LoadResult, duration_s: float) -> bool:
    return trial.duration_s >= duration_s * (1 - 1e-9)


def classify(
    goal: Goal, duration_s: float, sum_s: float, trials: Sequence[LoadResult]
) -> Literal["lower", "upper", "undecided"]:
    """The class of the load that all `trials` have, for trials of that duration and sum.

    Shorter trials with loss count against the load as far as shorter ones without loss, weighed by
    the exceed ratio, do not balance them.
    """
    full_high = full_low = short_high = short_low = 0.0
    for trial in trials:
        high = trial.lost > goal.loss
        if _is_full(trial, duration_s):
            full_high += high * trial.duration_s
            full_low += (not high) * trial.duration_s
        else:
            short_high += high * trial.duration_s
            short_low += (not high) * trial.duration_s
    balance = short_low * goal.exceed / (1 - goal.exceed)
    high_sum = full_high + max(0.0, short_high - balance)
    whole = max(high_sum + full_low, sum_s)
    allowed = whole * goal.exceed
    missing = whole - high_sum - full_low
    if high_sum + missing <= allowed:
        return "lower"
    return "upper" if high_sum > allowed else "undecided"


def _bounds(
    goal: Goal, phase: _SearchPhase, trials: Sequence[LoadResult]
) -> tuple[Bounds, list[float]]:
    """The bounds of a phase, and the loads between them that are undecided after full trials."""
    loads: dict[float, list[LoadResult]] = {}
    # Longer ones belong to later phases, and change nothing in a phase that is over.
    for trial in (each for each in trials if not _is_full(each, phase.duration_s * 1.01)):
        loads.setdefault(trial.load, []).append(trial)
    classes = {
        load: classify(goal, phase.duration_s, phase.sum_s, of) for load, of in loads.items()
    }
    upper = min((load for load, of in classes.items() if of == "upper"), default=None)
    lower = max(
        (load for load, of in classes.items() if of == "lower" and (upper is None or load < upper)),
        default=None,
    )
    begun = [
        load
        for load, of in classes.items()
        if of == "undecided"
        and (upper is None or load < upper)
        and (lower is None or load > lower)
        and any(_is_full(trial, phase.duration_s) for trial in loads[load])
    ]
    return Bounds(lower, upper), begun


def next_trial(
    goal: Goal, first: float, least: float, most: float, trials: Sequence[LoadResult]
) -> Trial | Bounds:
    """The next trial, or the bounds if there is nothing left to try.

    `first` is the load to begin with; none is below `least` or above `most`.
    """
    before: Bounds | None = None
    for phase in _phases(goal):
        bounds, begun = _bounds(goal, phase, trials)
        lower, upper = bounds.lower, bounds.upper
        if begun:
            return Trial(max(begun), phase.duration_s)
        if lower is not None and upper is not None:
            if upper <= lower * (1 + phase.width):
                before = bounds
                continue
            return Trial(math.sqrt(lower * upper), phase.duration_s)
        load = _outward(phase, bounds, before, first, trials)
        load = min(max(load, least), most)
        if load in (lower, upper):
            before = bounds
            continue
        return Trial(load, phase.duration_s)
    if before is None:
        raise ValueError("a search without phases")
    return before


def _outward(
    phase: _SearchPhase,
    bounds: Bounds,
    before: Bounds | None,
    first: float,
    trials: Sequence[LoadResult],
) -> float:
    """A load where a bound is missing: first that of the phase before, then ever farther."""
    lower, upper = bounds.lower, bounds.upper
    tried = {t.load for t in trials if math.isclose(t.duration_s, phase.duration_s)}
    if upper is not None:
        known = before.lower if before else None
        if known is not None and known < upper and known not in tried:
            return known
        steps = sum(load >= upper for load in tried)
        return upper / (1 + phase.width * 2.0 ** min(steps, 60))
    known = before.upper if before else None
    if lower is None:
        return before.lower if before and before.lower is not None else first
    if known is not None and known > lower and known not in tried:
        return known
    steps = sum(load <= lower for load in tried)
    return lower * (1 + phase.width * 2.0 ** min(steps, 60))
