# SPDX-License-Identifier: Apache-2.0
"""Boards that were held against a profile, as a choice is made among them."""

from typing import Any

from perfboard.analysis.choice.answer import Candidate
from perfboard.analysis.profile.conclusion import whole_outcome
from perfboard.model.results.profile import OptionRow, ProfileResult, ProfileRow
from perfboard.model.run import BoardSummary, Evidence
from tests.support.runs import make_run

_VALUES = {"pass": 1.0, "inconclusive": 1.9, "fail": 4.0}


def row(outcome: str, name: str = "start", **fields: Any) -> ProfileRow:
    """A row with a budget of at most 2 s, and a figure if it has an outcome by one."""
    value = fields.pop("value", _VALUES.get(outcome))
    within = {} if value is None else {"value": value, "low": value * 0.9, "high": value * 1.1}
    own = {"question": "Is it fast?", "weight": "must", "metric": "boot.total", "unit": "s"}
    budget = {"budget": 2.0, "budget_text": "<= 2 s", "least": False, "outcome": outcome}
    return ProfileRow.model_validate({"name": name, **own, **budget, **within, **fields})


def candidate(
    board: str,
    *rows: ProfileRow,
    price: float | None = None,
    probability: float | None = None,
    options: tuple[OptionRow, ...] = (),
    **fields: Any,
) -> Candidate:
    """A board with these rows."""
    result = ProfileResult(
        profile="box",
        device="A box of pictures",
        audience="us",
        currency="EUR",
        outcome=whole_outcome(rows),
        rows=rows,
        options=options,
        price=price,
        probability=probability,
        **fields,
    )
    run = make_run(
        f"20261121-091500-profile-{board}-3f2a",
        study="profile",
        evidence=Evidence.TIMED,
        board=BoardSummary(name=board, title=board, description="A board."),
        results=(result,),
        headline=None,
    )
    return Candidate(board, run)
