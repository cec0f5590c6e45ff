# SPDX-License-Identifier: Apache-2.0
"""How far the difference of two runs may be wrong, by the margins of their timing models."""

from dataclasses import dataclass, replace

from perfboard.analysis.compare.changes import RunChange
from perfboard.analysis.statistics.summary import Interval
from perfboard.model.run import TIMED_UNITS, Run


@dataclass(frozen=True)
class Margins:
    """The share by which each run's times may be wrong.

    If `common`, both are of one board by one timing model: it errs alike in both, so that its
    margin is of the difference alone.
    """

    before: float
    after: float
    common: bool


def margins_of(a: Run, b: Run, metric: str) -> Margins:
    """Those of a metric when `b` is compared with `a`, each 0 for a run that is not timed."""
    before, after = a.margin_for(metric), b.margin_for(metric)
    return Margins(before or 0.0, after or 0.0, _one_model(a, b))


def with_margins(change: RunChange, margins: Margins, left_out: frozenset[str]) -> RunChange:
    """The change, its interval widened by the margins.

    Metrics that a model leaves out have no margin, and no difference is shown of them.
    """
    if change.name in left_out:
        return replace(change, modelled=False, shown=False)
    if change.interval is None or change.unit not in TIMED_UNITS:
        return change
    low, high = change.interval.low, change.interval.high
    if margins.common:
        share = max(margins.before, margins.after)
        interval = Interval(low - share * abs(low), high + share * abs(high))
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
    one, other = a.board.timed_as, b.board.timed_as
    if a.margin is None or b.margin is None or one is None or other is None:
        return False
    # Two boards may have equal parameters, and still be different machines.
    if a.board.name != b.board.name or one.part != other.part:
        return False
    # Older runs do not have the model's hash.
    return None in (one.model, other.model) or one.model == other.model
