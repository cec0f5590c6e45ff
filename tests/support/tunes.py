# SPDX-License-Identifier: Apache-2.0
"""Tunes of verdex for tests: of a few factors, with boots that are made up."""

from collections.abc import Callable
from concurrent.futures import Future

from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.studies.tune.attempt import Attempt, Task
from perfboard.studies.tune.pool import Make, Submit, as_they_end


def keep_but(*varied: str) -> dict[str, str]:
    """The default of each factor but those that vary, and but those that only show more."""
    known = factors_of(load_board("verdex").board)
    out = (*varied, "initcall_debug", "detail")
    return {name: factor.default for name, factor in known.items() if name not in out}


def submitting(make: Callable[[Task], Attempt]) -> Submit:
    """What has made an attempt when it is asked for it."""

    def submit(task: Task) -> "Future[Attempt]":
        future: Future[Attempt] = Future()
        future.set_result(make(task))
        return future

    return submit


def at_once(make: Callable[[Task], Attempt]) -> Make:
    """What has made each attempt when they are asked for."""
    return as_they_end(submitting(make))
