# SPDX-License-Identifier: Apache-2.0
"""The model that drove a virtual board's clock, and how near its times are known to be."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from perfboard.model.record import Int64, Quantity, Record, without_unset
from perfboard.model.work import work_of

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
# The key of the margin of what is of several classes of work, as a boot is.
SEVERAL = "several"
# With fewer figures of a class there is no margin of it, and no probability.
FEWEST = 5


def error_of(ratio: float) -> float:
    """The share that the larger of two figures is above the other, by their ratio."""
    return max(ratio, 1 / ratio) - 1 if ratio > 0 else math.inf


class StatedMargin(Record):
    """How near a model's times of one class of work are known to be.

    `share` is the margin: 95 of 100 figures of the real board lie within this share of the
    model's. None: `rows`, the figures that it was held against, are too few to say.
    `worst` is the largest error seen among them, as a share; None: none was seen. `covered` of the
    rows lie within the margin that the others give. `ratios` are the figures of the class itself, a
    tuple for each board: the model's over the published one.
    """

    share: Quantity | None = None
    worst: Quantity | None = None
    rows: Int64 = 0
    covered: Int64 | None = None
    ratios: tuple[tuple[Quantity, ...], ...] = ()

    @model_serializer(mode="wrap")
    def _of_ratios(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unset(self, handler(self), "ratios")

    @property
    def reach(self) -> float | None:
        """The share by which a verdict's interval is widened: the margin, else twice the worst.

        None: nothing is known, and no verdict rests on it.
        """
        if self.share is not None:
            return self.share
        return None if self.worst is None else 2 * self.worst

    @property
    def word(self) -> str:
        """The margin as it stands next to a figure."""
        if self.share is not None:
            return f"\N{PLUS-MINUS SIGN}{self.share:.0%}"
        return "not checked" if self.worst is None else f"worst seen {self.worst:.0%}"

    @property
    def lack(self) -> str:
        """Why there is no margin, and what a verdict rests on instead; "" where there is one."""
        if self.share is not None:
            return ""
        if self.worst is None:
            return "no figure of the real part was held against the model in this kind of work"
        few = "figure was" if self.rows == 1 else "figures were"
        return (
            f"no margin is known: {self.rows} {few} checked, the worst {self.worst:.0%} off, "
            "and twice that is allowed for"
        )


def stated_margin(margins: Mapping[str, StatedMargin], metric: str) -> StatedMargin:
    """The margin of the metric's class of work; of several classes where it is of no one."""
    return margins.get(work_of(metric) or SEVERAL, StatedMargin())


class TimedAs(Record):
    """The part that a virtual board is timed as, by a model of it.

    `margins` are by class of work, as `model.work` has them, and for what is of several; of a
    class that is not there nothing is known. `margin_source` says what they rest on. `checked` are
    the metrics that figures of the real board were held against, each with the least and
    greatest size of those: others are extrapolated. After a metric's name may stand the
    operation or method that alone was checked. `model` is the hash of the model's parameters.
    `left_out` are metrics that the model is known not to give, so that no margin covers
    them, each with the reason.
    """

    part: str
    # Absent from older runs.
    model: Sha256 | None = None
    margin_source: str
    margins: dict[str, StatedMargin] = Field(default_factory=dict)
    checked: dict[str, tuple[Int64, Int64] | None] = Field(default_factory=dict)
    left_out: dict[str, str] = Field(default_factory=dict)

    @property
    def several(self) -> StatedMargin:
        """The margin of work of several classes."""
        return self.margins.get(SEVERAL, StatedMargin())

    def stated(self, metric: str) -> StatedMargin:
        """See `stated_margin`."""
        return stated_margin(self.margins, metric)
