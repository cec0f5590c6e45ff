# SPDX-License-Identifier: Apache-2.0
"""The probabilities that a board keeps the budgets of a profile's rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfboard.analysis import probability
from perfboard.analysis.probability import ErrorLaw, HeldFigure
from perfboard.analysis.statistics.summary import percentile_interval
from perfboard.model.profile import Part
from perfboard.model.results.profile import ProfileRow
from perfboard.model.run import TIMED_UNITS, Evidence, Metric
from perfboard.model.timed_as import SEVERAL, StatedMargin
from perfboard.model.work import work_of

if TYPE_CHECKING:
    from perfboard.analysis.probability import Draws

# The label of a figure that is given with the least and the most that it may be.
BOUND = "bound"


@dataclass(frozen=True)
class Prior:
    """The board that a run has figures of, and the margins of its model."""

    board: str = ""
    margins: Mapping[str, StatedMargin] = field(default_factory=dict)


@dataclass(frozen=True)
class RowChance:
    """Whether the budget is kept, in each draw, or None; `lacking`: the work with too few figures.

    That is why nothing is known, if there is some.
    """

    draws: "Draws | None" = None
    lacking: tuple[str, ...] = ()

    def noted(self, row: ProfileRow) -> ProfileRow:
        """The row with its probability."""
        if self.draws is None and not self.lacking:
            return row
        share = None if self.draws is None else probability.share_of([self.draws])
        return row.model_copy(update={"probability": share, "lacking": self.lacking})


def chance_of(
    row: ProfileRow,
    metric: Metric | None,
    parts: Sequence[Part],
    name: str,
    evidence: Evidence,
    prior: Prior,
) -> RowChance:
    """That of a row that was judged; equal figures have one `name`."""
    if metric is None or row.outcome == "not measured":
        # The target broke down under it, or nothing is known.
        return RowChance(probability.known(False) if row.outcome == "fail" else None)
    if BOUND in metric.labels or (evidence is Evidence.TIMED and metric.unit not in TIMED_UNITS):
        sure = row.outcome in ("pass", "fail")
        return RowChance(probability.known(row.outcome == "pass") if sure else None)
    figure = HeldFigure(prior.board, name, row.budget, row.least)
    if evidence is not Evidence.TIMED:
        return RowChance(probability.sampled(figure, metric.samples, row.percentile))
    laws = probability.laws_of(prior.margins)
    works = _works(parts, laws)
    if lacking := tuple(work for work in works if work not in laws):
        return RowChance(lacking=lacking)
    own = metric.samples
    if row.percentile is not None:
        interval = percentile_interval(own, row.percentile)
        own = (interval.low, interval.high)
    value = min(own) if row.least else max(own)
    return RowChance(probability.modelled(figure, value, works, laws))


def _works(parts: Sequence[Part], laws: Mapping[str, ErrorLaw]) -> list[str]:
    """The classes of the parts' work; what is of several may be of each that is known."""
    works = [str(work_of(part.metric) or SEVERAL) for part in parts]
    return list(dict.fromkeys([*works, *(laws if SEVERAL in works else ())]))


def whole_chance(rows: Sequence[tuple[ProfileRow, RowChance]]) -> float | None:
    """The probability that all rows of weight must are kept; None: of one it is not known.

    A row that is surely not kept decides by itself.
    """
    must = [chance.draws for row, chance in rows if row.weight == "must"]
    known = [draws for draws in must if draws is not None]
    if any(not draws.any() for draws in known):
        return 0.0
    return probability.share_of(known) if must and len(known) == len(must) else None
