# SPDX-License-Identifier: Apache-2.0
"""A board as it is sold."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from perfboard.model.sourced import WithSource
from perfboard.model.tables import Size

_Words = Annotated[str, Field(max_length=24, pattern=r"^[^\x00-\x1f]*$")]


class Sold(WithSource):
    """A board as a buyer gets it: bytes of memory, the medium and the network, and a list price.

    `on` is the day or the month of the price.
    """

    memory: Size
    medium: _Words
    network: _Words
    price: Annotated[float, Field(gt=0, le=1e6, strict=False)] | None = None
    currency: Literal["$", "\u00a3", "\u20ac"] = "$"
    on: Annotated[str, Field(pattern=r"^(\d{4}(-\d{2}){0,2})?$")] = ""

    @model_validator(mode="after")
    def _dated(self) -> Self:
        if (self.price is None) != (not self.on):
            raise ValueError("a price needs the day that it was asked on, in `on`")
        return self
