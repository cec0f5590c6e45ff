# SPDX-License-Identifier: Apache-2.0
"""The power of a board's processor, for where nobody has a meter."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from perfboard.model.sourced import WithSource

_Watts = Annotated[float, Field(gt=0, le=1000, strict=False)]
_Range = Annotated[tuple[_Watts, _Watts], Field(strict=False)]


class Power(WithSource):
    """The least and the greatest power in W of the processor when busy, and when it waits."""

    active: _Range
    idle: _Range

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.active[0] > self.active[1] or self.idle[0] > self.idle[1]:
            raise ValueError("power.active and power.idle are each [least, greatest]")
        if self.idle[1] > self.active[0]:
            raise ValueError("power.idle is above power.active")
        return self
