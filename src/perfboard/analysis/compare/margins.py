# SPDX-License-Identifier: Apache-2.0
"""How far the difference of two runs may be wrong, by the margins of their timing models."""

from dataclasses import dataclass, replace

from perfboard.analysis.compare.changes import RunChange
from perfboard.analysis.statistics.summary import Interval
from perfboard.model.run import TIMED_UNITS, Run


@dataclass(frozen=True)
class Margins:
    """The share by which each run's times may be wrong; None where nothing is known of that.

    If `common`, both are of one board by one timing model: it errs alike in both, so that its
    margin is of the difference alone.
    """

    before: float | None
    after: float | None
    common: bool


def margins_of(a: Run, b: Run, metric: str) -> Margins:
    """Those of a metric when `b` is compared with `a`, each 0 for a run that is not timed."""
    before, after = (stated.reach if (stated := run.stated(metric)) else 0.0 for run in (a, b))
    return Margins(before, after, _one_model(a, b))


def with_margins(change: RunChange, margins: Margins, left_out: frozenset[str]) -> RunChange:
    """The change, its interval widened by the margins.

    Metrics that a model leaves out have no margin, and no difference is shown of them. Nor is one
    of two boards where nothing is known of a side. The same model errs alike on both sides, so
    that a difference is one, however large.
    """
    if change.name in left_out:
        return replace(change, modelled=False, shown=False)
    if change.interval is None or change.unit not in TIMED_UNITS:
        return change
    low, high = change.interval.low, change.interval.high
    if margins.before is None or margins.after is None:
        if margins.common:
            return change
        return replace(change, shown=False, hidden=not low <= 0 <= high)
    if margins.common:
        # An error by a factor keeps the sign.
        factor = 1 + max(margins.before, margins.after)
        interval = Interval(
            low * factor if low < 0 else low / factor, high * factor if high > 0 else high / factor
        )
    else:
        off = margins.before * abs(change.before.mean) + margins.after * abs(change.after.mean)
        interval = Interval(low - off, high + off)
    inside = interval.low <= 0 <= interval.high
    return replace(
        change,
        interval=interval,
        shown=change.shown and not inside,
        hidden=inside and not low <= 0 <= high,
    )


def _one_model(a: Run, b: Run) -> bool:
    one, other = a.timed, b.timed
    if one is None or other is None:
        return False
    # Two boards may have equal parameters, and still be different machines.
    if a.board.name != b.board.name or one.part != other.part:
        return False
    # Older runs do not have the model's hash.
    return None in (one.model, other.model) or one.model == other.model
