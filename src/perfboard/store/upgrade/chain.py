# SPDX-License-Identifier: Apache-2.0
"""The steps from each older schema to the next. No file is changed."""

from typing import Any

from perfboard.store.upgrade import (
    first,
    from_flash,
    one_core,
    one_margin,
    second,
    tune_start,
)

NEWEST = 3
NEW = f"perfboard.run/{NEWEST}"
# A record without a schema is of the first one.
_STEPS = ((first.OLD, first.upgraded), (second.OLD, second.upgraded))


def upgraded(record: dict[str, Any]) -> dict[str, Any]:
    """A record as one of schema NEW. Damaged parts stay so, for the model to refuse."""
    for old, step in _STEPS:
        if record.get("schema", first.OLD) == old:
            record = step(record)
    record = from_flash.with_medium(one_core.with_cores(record))
    return tune_start.with_start(one_margin.with_stated_margins(record))
