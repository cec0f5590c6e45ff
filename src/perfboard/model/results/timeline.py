# SPDX-License-Identifier: Apache-2.0
"""The clocks of one boot's sources, and how they were joined."""

from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.record import Int64, Quantity, Record
from perfboard.model.results.base import Result, count_words


class Sighting(Record):
    """A mark as one source saw it: `t_ns` on that source's own clock, wrong by `precision_ns`."""

    name: str
    t_ns: Int64
    precision_ns: Int64


class Fit(Record):
    """How a clock relates to the reference: its time `pivot_ns` is `at_ns` there.

    From there it gains `drift_ppm` in a million of the reference. Errors are those of a 95%
    interval. The clock itself runs true within `bound_ppm`.
    """

    pivot_ns: Int64
    at_ns: Int64
    error_ns: Int64
    drift_ppm: Quantity
    drift_error_ppm: Quantity


class TimelineClock(Record):
    """A clock, of a file or of the kernel whose log a file holds, and the marks on it.

    `common` are the marks that another clock has too. `fit` is None where nothing joins it.
    """

    name: str
    bound_ppm: Quantity
    marks: tuple[Sighting, ...]
    common: tuple[str, ...] = ()
    fit: Fit | None = None


class JoinedMark(Record):
    """A mark on the reference's clock, wrong by `error_ns` (95%), and the clocks that saw it."""

    name: str
    t_ns: Int64
    error_ns: Int64
    clocks: tuple[str, ...]


class TimelineResult(Result):
    """The clocks of one boot. `reference` is the one that the others were joined to.

    `parent` is the run that the files were imported into.
    """

    kind: Literal["timeline"] = "timeline"
    reference: str
    clocks: Annotated[tuple[TimelineClock, ...], Field(min_length=1)]
    marks: tuple[JoinedMark, ...]
    notes: tuple[str, ...] = ()
    parent: str | None = None

    @property
    def summary(self) -> str:
        return count_words(len(self.clocks), "clock", "clocks")


RESULT = TimelineResult
