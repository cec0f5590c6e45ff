# SPDX-License-Identifier: Apache-2.0
"""Records of before margins said how many figures they are from: they were one share a class."""

from typing import Any

from perfboard.model.timed_as import SEVERAL
from perfboard.model.work import CLASSES


def with_stated_margins(record: dict[str, Any]) -> dict[str, Any]:
    """The record, with each share of its timing model's as a stated margin.

    A model that had none by class has the board's for all. Damaged parts stay so, for the model of
    the record to refuse.
    """
    board = record.get("board")
    if not isinstance(board, dict):
        return record
    timed = board.get("timed_as")
    if not isinstance(timed, dict) or "margin" not in timed:
        return record
    whole, by_class = timed["margin"], timed.get("margins", {})
    if not isinstance(by_class, dict) or not isinstance(whole, int | float):
        return record
    shares: dict[Any, Any] = by_class or dict.fromkeys(CLASSES, whole)
    rest = {key: value for key, value in timed.items() if key != "margin"}
    stated = {work: {"share": share} for work, share in [*shares.items(), (SEVERAL, whole)]}
    return record | {"board": {**board, "timed_as": {**rest, "margins": stated}}}
