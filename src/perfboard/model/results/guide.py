# SPDX-License-Identifier: Apache-2.0
"""The performance guide of a board: the areas that its rows belong to, and what was left out."""

from typing import Literal

from perfboard.model.record import Int64, Quantity, Record
from perfboard.model.results.base import Result


class GuideArea(Record):
    """A part of the guide; `rows` are the places of its measurements in the run."""

    title: str
    rows: tuple[Int64, ...] = ()


class LeftOutRow(Record):
    """A row that is measured only if the user asks for all.

    `writes` are the bytes that it writes to the target at most. `seconds` are what it took in an
    earlier run, and `most_s` what it may take; each None where that is not known.
    """

    area: str
    row: str
    writes: Quantity = 0.0
    seconds: Quantity | None = None
    most_s: Quantity | None = None


class GuideResult(Result):
    """The order of a guide's rows. The figures are the run's metrics, by their measurements.

    `extent` says which of its rows were asked for: the quick list, those that write little, or all.
    """

    kind: Literal["guide"] = "guide"
    guide: str
    extent: Literal["quick", "usual", "all"] = "usual"
    areas: tuple[GuideArea, ...] = ()
    left_out: tuple[LeftOutRow, ...] = ()

    def area_of(self, place: int | None) -> str:
        """The title of the area that the measurement at that place belongs to, or ""."""
        return next((area.title for area in self.areas if place in area.rows), "")


RESULT = GuideResult
