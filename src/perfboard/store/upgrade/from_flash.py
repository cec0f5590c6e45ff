# SPDX-License-Identifier: Apache-2.0
"""Records of before the medium of a boot was a factor: all boards booted from flash."""

from typing import Any

# The boards that got a card or eMMC with that factor.
_BOARDS = ("orangepi-pc", "rpi-zero", "rpi-zero2", "rpi2", "teres")


def with_medium(record: dict[str, Any]) -> dict[str, Any]:
    """The record, with the factor `medium` at flash if it is of a boot of such a board."""
    board, factors = record.get("board"), record.get("factors")
    name = board.get("name") if isinstance(board, dict) else None
    if not isinstance(factors, dict) or "root" not in factors or "medium" in factors:
        return record
    if name not in _BOARDS:
        return record
    return record | {"factors": {**factors, "medium": "flash"}}
