# SPDX-License-Identifier: Apache-2.0
"""Which of the boards that were held against a profile to take, and how far the others are."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.analysis.probability import SURE
from perfboard.model.results.profile import ProfileResult, ProfileRow
from perfboard.model.run import Run

# The most boards that a profile's options are tried on: those that fail by least.
_NEAR = 3


@dataclass(frozen=True)
class Candidate:
    """A board that was held against a profile: its run, and the problem that ended it, if any."""

    board: str
    run: Run | None = None
    problem: str = ""

    @property
    def result(self) -> ProfileResult | None:
        """Its verdicts."""
        found = self.run.results_of(ProfileResult) if self.run else []
        return found[0] if found else None

    @property
    def musts(self) -> tuple[ProfileRow, ...]:
        """Its rows that must pass."""
        rows = self.result.rows if self.result else ()
        return tuple(row for row in rows if row.weight == "must")

    @property
    def probability(self) -> float | None:
        """That the real board keeps the budgets of all of them; None: it is not known."""
        return self.result.probability if self.result else None

    @property
    def price(self) -> float | None:
        """In its `currency`."""
        return self.result.price if self.result else None

    @property
    def currency(self) -> str:
        """That of its price: its own, else the profile's."""
        return (self.result.price_currency or self.result.currency) if self.result else ""

    @property
    def spare(self) -> float:
        """How far the worst row that must pass is within its budget, as the logarithm of a ratio.

        Below 0: beyond it. Infinite where nothing was measured, or the board can never do it.
        """
        return min((_spare(row) for row in self.musts), default=-math.inf)

    def right(self, sure: float) -> bool:
        """Whether it can be recommended: each row that must pass is measured and does not fail, and
        all of them pass with at least that probability."""
        outcomes = {row.outcome for row in self.musts}
        known = bool(outcomes) and not outcomes & {"fail", "not measured"}
        return known and self.probability is not None and self.probability >= sure

    @property
    def passes(self) -> bool:
        """Whether each row that must pass does, whatever is known of how surely."""
        return self.result is not None and self.result.outcome == "pass"


def _spare(row: ProfileRow) -> float:
    if row.value is None:
        return -math.inf if row.outcome == "fail" else math.inf
    if row.value == row.budget:
        return 0.0
    if row.value <= 0 or row.budget <= 0:
        return math.inf if (row.value > row.budget) == row.least else -math.inf
    ratio = math.log(row.value / row.budget)
    return ratio if row.least else -ratio


def _dearer(one: Candidate, other: Candidate) -> bool:
    known = one.price is not None and other.price is not None and one.currency == other.currency
    return known and (one.price or 0) >= (other.price or 0)


@dataclass(frozen=True)
class Choice:
    """The boards in the order in which they are to be taken.

    Prices are compared in the `currency` that most of them are in, "" where none is known.
    `right` can be recommended, the first before the others; `unsure` pass, but how surely is not
    known, or less than `sure`; the `others` do not pass. Each is in the order of price, those
    whose price is not known, or is in another currency, after them, by what they have to
    spare.
    """

    profile: str
    device: str
    sure: float
    currency: str = ""
    right: tuple[Candidate, ...] = ()
    unsure: tuple[Candidate, ...] = ()
    others: tuple[Candidate, ...] = ()

    @property
    def all(self) -> tuple[Candidate, ...]:
        return (*self.right, *self.unsure, *self.others)


def choice_of(candidates: Sequence[Candidate], sure: float = SURE) -> Choice:
    """The choice among boards that were held against one profile."""
    priced = Counter(each.currency for each in candidates if each.price is not None)
    usual = priced.most_common(1)[0][0] if priced else ""

    def order(each: Candidate) -> tuple[float, float, str]:
        price = each.price if each.currency == usual else None
        return math.inf if price is None else price, -each.spare, each.board

    ranked = sorted(candidates, key=order)
    right = tuple(each for each in ranked if each.right(sure))
    unsure = tuple(each for each in ranked if each.passes and each not in right)
    heads = [each.result for each in ranked if each.result]
    return Choice(
        profile=heads[0].profile if heads else "",
        device=heads[0].device if heads else "",
        sure=sure,
        currency=usual,
        right=right,
        unsure=unsure,
        others=tuple(each for each in ranked if each not in right and each not in unsure),
    )


def nearest_of(choice: Choice) -> list[Candidate]:
    """The boards that fail by least, and may be mended, the cheapest first.

    A board that is known to cost more than the recommended one is no help.
    """
    failing = [each for each in choice.others if math.isfinite(each.spare)]
    if choice.right:
        best = choice.right[0]
        failing = [each for each in failing if not _dearer(each, best)]
    near = sorted(failing, key=lambda each: each.spare, reverse=True)[:_NEAR]
    return [each for each in choice.others if each in near]
