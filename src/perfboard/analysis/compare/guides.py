# SPDX-License-Identifier: Apache-2.0
"""Two guides compared: what is worse, better, gone and new, area by area."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from perfboard.analysis.compare.changes import RunChange
from perfboard.analysis.compare.drift import drifts
from perfboard.analysis.statistics.bootstrap import process_medians
from perfboard.analysis.statistics.holm import holm
from perfboard.analysis.statistics.summary import REPEATS, welch_error
from perfboard.model.results.guide import GuideResult
from perfboard.model.run import Metric, Run

# The chance that noise alone makes any row of a whole guide look changed, and the share below which
# a change is none.
FALSE_ALARMS, LEAST = 0.01, 0.005
# Units of figures that are exact where they do not vary.
EXACT_UNITS = ("1", "B")
Pair = tuple[Metric, Metric]


@dataclass(frozen=True)
class AreaChange:
    """The rows of an area: those that changed, those that only one guide has, and the others.

    `few` have a single sample on a side, or do not vary: of their noise nothing is known.
    """

    title: str
    worse: tuple[RunChange, ...] = ()
    better: tuple[RunChange, ...] = ()
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    few: tuple[RunChange, ...] = ()
    same: int = 0


def guide_of(run: Run) -> GuideResult | None:
    """The guide of the run, if it has one."""
    return next(iter(run.results_of(GuideResult)), None)


def areas_of(run: Run) -> list[str]:
    """The titles of the run's areas; none: it is no guide."""
    guide = guide_of(run)
    return [area.title for area in guide.areas] if guide else []


def area_of(run: Run, metric: Metric) -> str:
    """The title of the area that the metric belongs to, or ""."""
    guide = guide_of(run)
    return guide.area_of(metric.measurement) if guide else ""


def shown_of_guide(
    changes: Sequence[RunChange], pairs: Sequence[Pair], areas: Sequence[str], repeats: bool
) -> list[RunChange]:
    """The changes of two guides, of which those are shown that noise does not explain.

    Boards that repeat leave nothing to chance: a change is shown if the ranges do not meet.
    Elsewhere it is Welch's test of each row, its error widened by the rows' drift, and Holm's
    correction over all of them, which bounds the chance of any false alarm by FALSE_ALARMS.
    """
    if repeats:
        return [replace(each, shown=each.shown and _counts(each)) for each in changes]
    drifted = drifts(pairs, areas)
    chances = [_chance(*pair, drift) for pair, drift in zip(pairs, drifted, strict=True)]
    tested = [place for place, chance in enumerate(chances) if chance is not None]
    found = holm([chances[place] or 0.0 for place in tested], FALSE_ALARMS)
    stands_out = {place for place, rejected in zip(tested, found, strict=True) if rejected}
    return [
        replace(each, shown=_counts(each) and (place in stands_out or _exact(each)))
        for place, each in enumerate(changes)
    ]


def area_changes(
    a: Run,
    b: Run,
    rows: Sequence[tuple[RunChange, Pair, str]],
    gone: Sequence[tuple[str, str]],
    new: Sequence[tuple[str, str]],
) -> tuple[AreaChange, ...]:
    """The changes by area, of which each of the `rows` has its own; none of what is no guide.

    `gone` and `new` are the names that one run alone has, each with its area.
    """
    titles = list(dict.fromkeys((*areas_of(b), *areas_of(a))))
    exact = a.evidence in REPEATS and b.evidence in REPEATS
    found = []
    for title in titles:
        own = [(change, pair) for change, pair, area in rows if area == title]
        shown = [change for change, _ in own if change.shown]
        still = [(change, pair) for change, pair in own if not change.shown]
        few = [change for change, pair in still if not exact and _noise_unknown(*pair)]
        found.append(
            AreaChange(
                title,
                tuple(each for each in shown if is_worse(each)),
                tuple(each for each in shown if not is_worse(each)),
                tuple(name for name, area in gone if area == title),
                tuple(name for name, area in new if area == title),
                tuple(few),
                len(still) - len(few),
            )
        )
    return tuple(found)


def is_worse(change: RunChange) -> bool:
    """Whether it changed for the worse."""
    return (change.difference > 0) == (change.better == "lower")


def _noise_unknown(before: Metric, after: Metric) -> bool:
    """Whether nothing is known of a row's noise: a single sample, or samples that do not vary."""
    exact = before.unit in EXACT_UNITS and all(len({*m.samples}) == 1 for m in (before, after))
    return not exact and _chance(before, after, 0.0) is None


def guide_words(areas: Sequence[AreaChange], repeats: bool) -> str:
    """The answer of two guides, in sentences."""
    worse, better = (sum(len(getattr(each, way)) for each in areas) for way in ("worse", "better"))
    rows = sum(each.same + len(each.few) for each in areas) + worse + better
    few = sum(len(each.few) for each in areas)
    if not rows:
        return "The guides have no row in common."
    words = f"Of {rows:,} rows that both guides have, {worse} are worse and {better} better"
    parts = [f"{each.title}: {len(each.worse)} worse" for each in areas if each.worse]
    sentences = [f"{words} ({'; '.join(parts)})." if parts else f"{words}."]
    if repeats:
        sentences.append("A virtual board repeats, so no difference is due to chance.")
    else:
        sentences.append(
            f"Noise alone makes any row look changed in at most {FALSE_ALARMS:.0%} of comparisons "
            "(Welch's test, widened by the drift of all rows; Holm's correction over all)."
        )
    if few and not repeats:
        sentences.append(
            f"{few} rows have a single sample or none that varies, so their noise is not known: "
            "`perfboard gate --baseline 'last 5'` judges them by the last guides."
        )
    return " ".join(sentences)


def _chance(before: Metric, after: Metric, drift: float) -> float | None:
    """How likely chance moves the mean as far, both ways; None: nothing is known of its noise."""
    from scipy.special import stdtr

    old, new = process_medians(before), process_medians(after)
    if len(old) < 2 or len(new) < 2:
        return None
    error, freedom = welch_error(old, new)
    if not error:
        return None
    first, second = statistics.mean(old), statistics.mean(new)
    off = drift * max(abs(first), abs(second))
    score = abs(second - first) / math.hypot(error, off)
    return 2 * float(stdtr(freedom, -score))


def _exact(change: RunChange) -> bool:
    """Whether it is a count or a size that never varies, and differs."""
    sides = (change.before, change.after)
    return change.unit in EXACT_UNITS and all(not side.spread for side in sides)


def _counts(change: RunChange) -> bool:
    """Whether the change is large enough to count."""
    return abs(change.difference) > LEAST * abs(change.before.mean)
