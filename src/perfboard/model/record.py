# SPDX-License-Identifier: Apache-2.0
"""The base of the records of a run folder."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _sound(value: float) -> float:
    # One so small can be neither divided by nor told apart from 0 where it is drawn.
    return value if abs(value) >= 1e-100 else 0.0


def _in_range(moment: datetime) -> datetime:
    if not 1970 <= moment.year <= 9998:
        raise ValueError("give a year from 1970 to 9998")
    return moment


# Bounds that no honest record meets, so that arithmetic on a hostile one cannot overflow.
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Quantity = Annotated[float, Field(ge=-1e100, le=1e100), AfterValidator(_sound)]
Moment = Annotated[datetime, AfterValidator(_in_range)]


class Record(BaseModel):
    """Base of all stored records: frozen, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def without_unset(record: Record, data: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The serialized record without those of the keys that nobody gave: None is a value of theirs.

    Records that were made before the keys were known stay as they are, to the byte.
    """
    for key in keys:
        if key not in record.model_fields_set:
            # A reader may have left it out already.
            data.pop(key, None)
    return data
