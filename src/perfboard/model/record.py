# SPDX-License-Identifier: Apache-2.0
"""What the records of a run folder are made of."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

# Bounds that no honest record meets, so that arithmetic on a hostile one cannot overflow.
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Quantity = Annotated[float, Field(ge=-1e100, le=1e100)]


class Record(BaseModel):
    """Base of all stored records: frozen, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
