# SPDX-License-Identifier: Apache-2.0
"""Clocks joined by the marks that they have in common, by weighted least squares.

Each clock has an offset and a drift, each common mark a true time. A sighting says that the
mark's time, on the clock of who saw it, is within the mark's precision; it weighs by that. The
bound that crystals keep counts as one more observation, of the drifts. With one common mark it
alone bounds the drift, and the error grows with the distance from that mark. The method is the
linear model of weighted least squares with a prior, as in any text on Bayesian linear regression;
errors come from the inverse of its normal matrix, by the singular values of the equations.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from perfboard.analysis.timeline.interval import half_width
from perfboard.analysis.timeline.source import SourceMarks
from perfboard.model.results.timeline import (
    Fit,
    JoinedMark,
    Sighting,
    TimelineClock,
    TimelineResult,
)
from perfboard.model.units import format_value

_ROOT_3 = 3**0.5
_LEAST_NS = 1
# Common marks with residuals rarer than this contradict each other.
_UNLIKELY = 1e-3
_FAR = 4.0
_NAMED = 8


def join(sources: Sequence[SourceMarks]) -> TimelineResult:
    """The timeline on the clock of the most precise source of the largest group.

    Sources that share no mark with that group, even through others, stay apart. Each name stands
    once in a source: of several sightings the first counts.
    """
    sources = [_once(source) for source in sources]
    group = _largest_group(sources)
    reference = min(group, key=_precision)
    ordered = [reference, *(source for source in group if source is not reference)]
    solution = _Solution(ordered)
    clocks = [
        TimelineClock(
            name=source.name,
            bound_ppm=source.bound_ppm,
            marks=source.marks,
            common=tuple(m.name for m in source.marks if m.name in solution.common),
            fit=solution.fit(ordered.index(source)) if source in group else None,
        )
        for source in sources
    ]
    notes = [
        f"{source.name} has no mark in common with the others, so that it stands apart. Its marks: "
        f"{', '.join(mark.name for mark in source.marks[:_NAMED])}. Another source that shows one "
        "of them, as by a channel, joins it."
        for source in sources
        if source not in group
    ]
    return TimelineResult(
        reference=reference.name,
        clocks=tuple(clocks),
        marks=tuple(sorted(solution.marks(), key=lambda mark: (mark.t_ns, mark.name))),
        notes=(*notes, *solution.contradictions()),
    )


def _once(source: SourceMarks) -> SourceMarks:
    first = {mark.name: mark for mark in reversed(source.marks)}
    kept = tuple(sorted(first.values(), key=lambda mark: mark.t_ns))
    return SourceMarks(source.name, kept, source.bound_ppm)


def _precision(source: SourceMarks) -> float:
    return statistics.median(mark.precision_ns for mark in source.marks)


def _largest_group(sources: Sequence[SourceMarks]) -> list[SourceMarks]:
    """The sources that marks join, directly or through others: the most that are joined."""
    groups: list[tuple[set[str], list[SourceMarks]]] = []
    for source in sources:
        names = {mark.name for mark in source.marks}
        touching = [group for group in groups if group[0] & names]
        merged = (names, [source])
        for group in touching:
            merged = (merged[0] | group[0], [*group[1], *merged[1]])
            groups.remove(group)
        groups.append(merged)
    found = max(groups, key=lambda group: len(group[1]))[1]
    return [source for source in sources if source in found]


def _chance(square: float, free: int) -> float:
    """How likely chi squared with `free` degrees of freedom is as large."""
    from scipy.special import chdtrc

    return float(chdtrc(free, square))


class _Solution:
    """The least squares of sources that marks join, the first of them the reference."""

    def __init__(self, sources: Sequence[SourceMarks]) -> None:
        self._sources = sources
        counts = Counter(mark.name for source in sources for mark in source.marks)
        self.common = {name for name, count in counts.items() if count > 1}
        self._names = sorted(self.common)
        # Times are small numbers of ns, from a pivot of each clock: the mean of its common marks.
        self._pivots = [_pivot(source, self.common) for source in sources]
        self._shifts = _shifts(sources, self._pivots)
        others = len(sources) - 1
        self._size = 2 * others + len(self._names)
        if self._size:
            self._solve(others)
        else:
            self._covariance, self._values = np.zeros((0, 0)), np.zeros(0)
        self._off = [*self._residuals()]
        square, free = sum(off * off for *_, off in self._off), len(self._off) - self._size
        # The prior makes up for drifts that few marks show.
        free += others
        self._contradict = free > 0 and _chance(square, free) < _UNLIKELY
        if self._contradict:
            self._covariance *= square / free

    def _solve(self, others: int) -> None:
        rows, right = self._equations(others)
        # Weights may be 18 decades apart: each unknown has its own unit, and the equations are
        # solved as they are, since the normal matrix would have their weights squared.
        units = 1 / np.linalg.norm(rows, axis=0)
        left, sizes, turned = np.linalg.svd(rows * units, full_matrices=False)
        sizes = np.maximum(sizes, sizes[0] * np.finfo(float).eps)
        spread = (turned.T / sizes) * units[:, None]
        self._covariance = spread @ spread.T
        self._values = spread @ (left.T @ right)

    def _row(self, at: int, ns: float) -> np.ndarray:
        """The derivative of a time of source `at` by the unknowns; `ns` is from its pivot."""
        row = np.zeros(self._size)
        if at:
            row[2 * at - 2] = 1
            row[2 * at - 1] = ns * 1e-6
        return row

    def _sightings(self) -> Iterable[tuple[int, Sighting, np.ndarray, float, float]]:
        """Each sighting of a common mark: its equation, in units of its own error."""
        places = {name: i for i, name in enumerate(self._names)}
        for at, source in enumerate(self._sources):
            for mark in source.marks:
                if mark.name in places:
                    ns = mark.t_ns - self._pivots[at]
                    row = self._row(at, ns)
                    row[self._size - len(self._names) + places[mark.name]] = -1
                    sigma = max(mark.precision_ns, _LEAST_NS) / _ROOT_3
                    yield at, mark, row, -(ns + self._shifts[at]), sigma

    def _equations(self, others: int) -> tuple[np.ndarray, np.ndarray]:
        """All equations, each in units of its own error: of sightings, then of drifts."""
        rows, values = [], []
        for _, _, row, value, sigma in self._sightings():
            rows.append(row / sigma)
            values.append(value / sigma)
        if others:
            # Drifts relative to the reference have its own in common.
            own = np.diag([source.bound_ppm**2 / 3 for source in self._sources[1:]])
            known = np.linalg.inv(own + self._sources[0].bound_ppm ** 2 / 3)
            for part in np.linalg.cholesky(known).T:
                row = np.zeros(self._size)
                row[np.arange(others) * 2 + 1] = part
                rows.append(row)
                values.append(0.0)
        return np.array(rows), np.array(values)

    def _residuals(self) -> Iterable[tuple[int, Sighting, float]]:
        for at, mark, row, value, sigma in self._sightings():
            yield at, mark, float(row @ self._values - value) / sigma

    def contradictions(self) -> Iterable[str]:
        """Sentences on common marks that lie further apart than their errors allow."""
        if not self._contradict:
            return
        worst: dict[str, float] = defaultdict(float)
        for _, mark, off in self._off:
            worst[mark.name] = max(worst[mark.name], abs(off))
        named = [name for name, off in worst.items() if off > _FAR] or [max(worst, key=worst.get)]  # type: ignore[arg-type]
        for name in named:
            seen = [
                f"{self._sources[at].name} at "
                f"{format_value((mark.t_ns - self._pivots[at] + self._shifts[at]) / 1e9, 's')}"
                for at, mark, _ in self._off
                if mark.name == name
            ]
            yield (
                f"The mark {name} is not at one time: {', '.join(seen)} from the middle of the "
                "common marks. Does each source name the same instant, and is each channel the "
                "right one? The errors stated are widened by what the marks are apart."
            )

    def fit(self, at: int) -> Fit:
        """The offset and drift of a source."""
        pivot, shift = self._pivots[at], self._shifts[at]
        reference = self._pivots[0]
        if at == 0:
            return Fit(pivot_ns=pivot, at_ns=pivot, error_ns=0, drift_ppm=0, drift_error_ppm=0)
        places = 2 * at - 2, 2 * at - 1
        offset, drift = (float(self._values[place]) for place in places)
        errors = [1.96 * float(self._covariance[place, place]) ** 0.5 for place in places]
        return Fit(
            pivot_ns=pivot,
            at_ns=round(reference + shift + offset),
            error_ns=round(errors[0]),
            # A clock that gains has more of its own time in a time of the reference.
            drift_ppm=-drift,
            drift_error_ppm=errors[1],
        )

    def marks(self) -> Iterable[JoinedMark]:
        """All marks on the reference's clock: common ones by all that saw them."""
        seen: Mapping[str, list[str]] = defaultdict(list)
        for source in self._sources:
            for mark in source.marks:
                seen[mark.name].append(source.name)
        first = self._size - len(self._names)
        for i, name in enumerate(self._names):
            sigma = float(self._covariance[first + i, first + i]) ** 0.5
            yield JoinedMark(
                name=name,
                t_ns=round(self._pivots[0] + float(self._values[first + i])),
                error_ns=round(half_width(0.0, sigma)),
                clocks=tuple(seen[name]),
            )
        for at, source in enumerate(self._sources):
            for mark in source.marks:
                if mark.name in self.common:
                    continue
                ns = mark.t_ns - self._pivots[at]
                row = self._row(at, ns)
                sigma = max(float(row @ self._covariance @ row), 0.0) ** 0.5
                yield JoinedMark(
                    name=mark.name,
                    t_ns=round(self._pivots[0] + ns + self._shifts[at] + float(row @ self._values)),
                    error_ns=round(half_width(mark.precision_ns, sigma)),
                    clocks=(source.name,),
                )


def _pivot(source: SourceMarks, common: set[str]) -> int:
    times = [mark.t_ns for mark in source.marks if mark.name in common]
    times = times or [mark.t_ns for mark in source.marks]
    return sum(times) // len(times)


def _shifts(sources: Sequence[SourceMarks], pivots: Sequence[int]) -> list[int]:
    """How much later each pivot is than the reference's, to begin with, through common marks."""
    found = {0: 0}
    times = [
        {mark.name: mark.t_ns - pivot for mark in source.marks}
        for source, pivot in zip(sources, pivots, strict=True)
    ]
    while len(found) < len(sources):
        for at, own in enumerate(times):
            if at in found:
                continue
            for other in found:
                shared = own.keys() & times[other].keys()
                if shared:
                    name = min(shared)
                    found[at] = found[other] + times[other][name] - own[name]
                    break
    return [found[at] for at in range(len(sources))]
