# SPDX-License-Identifier: Apache-2.0
"""Records of before a board's cores were a factor: one core, whatever its part had."""

from typing import Any

# In the board's facts, of every board whose part had several.
_ONE = "of which one is timed"


def with_cores(record: dict[str, Any]) -> dict[str, Any]:
    """The record, with the factor `cores` at 1 if its board had one of several."""
    board, factors = record.get("board"), record.get("factors")
    facts = board.get("facts") if isinstance(board, dict) else None
    if not isinstance(factors, dict) or not isinstance(facts, dict) or "cores" in factors:
        return record
    if not factors or not any(isinstance(fact, str) and _ONE in fact for fact in facts.values()):
        return record
    return record | {"factors": {**factors, "cores": "1"}}
