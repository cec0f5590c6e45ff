# SPDX-License-Identifier: Apache-2.0
"""Several boards held against one profile: a table of the boards over its rows."""

from collections.abc import Sequence
from math import inf

from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Run
from perfboard.report.sections.profile.chances import chance_words
from perfboard.report.terminal import cells, new_table, render

_ORDER = ("pass", "inconclusive", "not measured", "fail")


def boards_text(runs: Sequence[Run]) -> str:
    """The boards, the cheapest that passes first, each with its verdicts; "" if there are none."""
    found = [(run, result) for run in runs for result in run.results_of(ProfileResult)]
    if not found:
        return ""
    found.sort(key=_rank)
    table = new_table("row", *(run.board.name for run, _ in found))
    table.add_row(*cells("outcome", *(result.outcome for _, result in found)))
    if any(result.price is not None for _, result in found):
        table.add_row(*cells("price", *(_price(result) for _, result in found)))
    if any(result.probability is not None for _, result in found):
        chances = (result.probability for _, result in found)
        words = ("" if chance is None else chance_words(chance) for chance in chances)
        table.add_row(*cells("chance", *words))
    for name in dict.fromkeys(row.name for _, result in found for row in result.rows if row.asked):
        outcomes = (_outcome(result, name) for _, result in found)
        table.add_row(*cells(name, *outcomes))
    return f"{_lead(*found[0])}\n\n{render([table])}"


def _rank(found: tuple[Run, ProfileResult]) -> tuple[int, float]:
    result = found[1]
    return _ORDER.index(result.outcome), inf if result.price is None else result.price


def _lead(run: Run, result: ProfileResult) -> str:
    if result.outcome != "pass":
        return f"No board is known to be right for {result.profile}."
    if result.price is None:
        return f"{run.board.name} is right for {result.profile}; no price of it is known."
    return f"{run.board.name}, at {_price(result)}, is the cheapest that is right for it."


def _price(result: ProfileResult) -> str:
    return "" if result.price is None else f"{result.price:g} {result.currency}"


def _outcome(result: ProfileResult, name: str) -> str:
    row = next((row for row in result.rows if row.name == name), None)
    if row is None:
        return ""
    return row.outcome if row.weight == "must" else f"({row.outcome})"
