# SPDX-License-Identifier: Apache-2.0
"""Tunes of verdex for tests: of a few factors, with boots that are made up."""

from collections.abc import Callable
from concurrent.futures import Future

from perfboard.factors.choose import factors_of
from perfboard.studies.tune.attempt import Attempt, Task
from perfboard.studies.tune.plan import TuneRequest, make_plan
from perfboard.studies.tune.pool import Make, Submit, as_they_end


def keep_but(*varied: str) -> dict[str, str]:
    """The default of each factor but those that vary, and but those that only show more."""
    known = factors_of(make_plan(TuneRequest("verdex", ())).loaded.board)
    out = (*varied, "initcall_debug", "detail")
    return {factor: levels[0] for factor, levels in known.items() if factor not in out}


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
