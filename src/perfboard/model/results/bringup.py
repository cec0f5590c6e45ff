# SPDX-License-Identifier: Apache-2.0
"""The rows of a board's bring-up: how fast each part of it is, and what holds it back."""

from typing import Literal

from pydantic import Field

from perfboard.model.record import Quantity, Record
from perfboard.model.results.base import Result


class BringupFigure(Record):
    """One figure of a row. `value` is the median of its metric's samples, in `unit`.

    `busy` is the processor's share of the time. `published` is what somebody measured of the
    real board, and `source` says who; `differs` says why `value` is far from it.
    """

    title: str
    metric: str
    labels: dict[str, str] = Field(default_factory=dict)
    unit: str
    better: Literal["lower", "higher"] = "higher"
    value: Quantity
    busy: Quantity | None = None
    published: Quantity | None = None
    source: str = ""
    differs: str = ""


class BringupRow(Record):
    """The figures of a row, or the `reason` why it measured nothing.

    `subject` is the part of the board that it is of. `short` says it in a few words, `limit` names
    what held the board back ("" where nothing tells), and `sentence` says how that is known.
    """

    name: str
    title: str
    subject: str
    figures: tuple[BringupFigure, ...] = ()
    short: str = ""
    limit: str = ""
    sentence: str = ""
    reason: str = ""


class BringupResult(Result):
    """All rows that were asked for."""

    kind: Literal["bringup"] = "bringup"
    rows: tuple[BringupRow, ...]

    @property
    def summary(self) -> str:
        """How many rows have figures."""
        measured = sum(bool(row.figures) for row in self.rows)
        return f"{measured} of {len(self.rows)} rows measured"


RESULT = BringupResult
