# SPDX-License-Identifier: Apache-2.0
"""The verdicts of a device's profile on a board, as a run has them."""

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from perfboard.model.record import Quantity, Record, without_unset
from perfboard.model.results.base import Result

RowOutcome = Literal["pass", "fail", "inconclusive", "not measured"]


class PublishedRow(Record):
    """A published figure, in the row's unit and as it was written, and what it is of."""

    value: Quantity
    text: str
    of: str


class PublishedSource(Record):
    """The publication of the rows' figures, and the board that they are of."""

    source: str
    board: str


class FigureName(Record):
    """A metric of the run, by its name and labels."""

    name: str
    labels: dict[str, str] = Field(default_factory=dict)


class ProfileRow(Record):
    """A key issue or a scenario, and its verdict.

    `value` is between `low` and `high`, all in `unit`; None where nothing was measured, for the
    `reason`. Those two alone are None where nobody knows how near a virtual board's value is.
    `least` says that the budget is the least that does, `percentile` that it is of that one of the
    samples, in percent, and `because` why it is that. `limit` names what held the board back, ""
    where nothing tells. `labels` are those of the metric that was held against the budget. `asked`
    is False for a row that the user left out: nothing of it was measured. `figures` are all that
    its measures gave. `probability` is that of the real board keeping the budget; None: it is not
    known, since the model was held against too few figures of the work that is `lacking`, if any.
    """

    name: str
    question: str
    weight: Literal["must", "should"]
    scenario: bool = False
    metric: str
    labels: dict[str, str] = Field(default_factory=dict)
    unit: str
    budget: Quantity
    budget_text: str
    because: str = ""
    percentile: Quantity | None = None
    least: bool
    outcome: RowOutcome
    value: Quantity | None = None
    low: Quantity | None = None
    high: Quantity | None = None
    reason: str = ""
    limit: str = ""
    asked: bool = True
    published: PublishedRow | None = None
    figures: tuple[FigureName, ...] = ()
    probability: Quantity | None = None
    lacking: tuple[str, ...] = ()

    @model_serializer(mode="wrap")
    def _known(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        added = ("because", "percentile", "probability", "lacking")
        return without_unset(self, handler(self), *added)


class OptionRow(Record):
    """A change of the device: its cost, and the rows that it turns from fail to pass.

    `outcome` is that of the whole profile with it; `reason` says why it was not tried. `rows` are
    those that have another value with it.
    """

    name: str
    title: str
    cost: Quantity
    turns: tuple[str, ...] = ()
    outcome: RowOutcome
    reason: str = ""
    rows: tuple[ProfileRow, ...] = ()


class ProfileResult(Result):
    """A profile's verdicts. `outcome` is that of all its rows of weight must together.

    `source` is the SHA-256 sum of the profile's file. `probability` is that of the real board
    keeping the budgets of all these rows; None: of one of them it is not known.
    """

    kind: Literal["profile"] = "profile"
    profile: str
    device: str
    audience: str
    currency: str
    # The price of the board; None where it is not known. Its currency is "" for the profile's.
    price: Quantity | None = None
    price_currency: str = ""
    outcome: RowOutcome
    rows: tuple[ProfileRow, ...]
    options: tuple[OptionRow, ...] = ()
    source: str = ""
    published: PublishedSource | None = None
    probability: Quantity | None = None

    @model_serializer(mode="wrap")
    def _known(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unset(self, handler(self), "probability", "price_currency")

    @property
    def undecided(self) -> bool:
        return self.outcome in ("inconclusive", "not measured")

    @property
    def failed(self) -> bool:
        return self.outcome == "fail"

    @property
    def summary(self) -> str:
        """The outcome, in words."""
        return f"{self.profile}: {self.outcome}"


RESULT = ProfileResult
