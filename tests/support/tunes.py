# SPDX-License-Identifier: Apache-2.0
"""Tunes of verdex for tests: of a few factors, with boots that are made up."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from perfboard.bench.request import Request
from perfboard.boards.loader import load_board
from perfboard.factors.choose import factors_of
from perfboard.model.target import virtual_name
from perfboard.studies.tune.making import Make, Submit, as_they_end
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.plan import TunePlan, make_plan
from perfboard.studies.tune.task import Task, TaskResult


def request_of(target: str = "virtual:verdex", **start: str) -> Request:
    """A tune's request, with the start's levels."""
    return Request(target, start, ("perfboard",))


def plan_of(target: str = "virtual:verdex", **options: Any) -> TunePlan:
    """The plan of a tune of verdex; `start` are the levels that it starts from."""
    request = request_of(target, **options.pop("start", {}))
    exact = virtual_name(target) is not None
    return make_plan(request, TuneOptions(**({"board": "verdex"} | options)), exact)


def keep_but(*varied: str) -> dict[str, str]:
    """The default of each factor but those that vary, and but those that only show more."""
    known = factors_of(load_board("verdex").board)
    return {
        name: factor.default
        for name, factor in known.items()
        if name not in varied and not factor.observes
    }


def submitting(make: Callable[[Task], TaskResult]) -> Submit:
    """What has made an attempt when it is asked for it."""

    def submit(task: Task) -> "Future[TaskResult]":
        future: Future[TaskResult] = Future()
        future.set_result(make(task))
        return future

    return submit


def at_once(make: Callable[[Task], TaskResult]) -> Make:
    """What has made each attempt when they are asked for."""
    return as_they_end(submitting(make))
