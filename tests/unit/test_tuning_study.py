# SPDX-License-Identifier: Apache-2.0
"""The order of a tune's tries, and what ends it, with boots that are made up."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from perfboard.analysis.tuning import BASELINE, best_of
from perfboard.images.factors import factors_of
from perfboard.model.errors import PerfboardError, TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.studies.tuning import _try_all
from perfboard.studies.tuning_boot import Attempt, Task
from perfboard.studies.tuning_plan import TuneRequest, make_plan
from perfboard.studies.tuning_progress import TuneStep
from perfboard.studies.tuning_sweep import Sweep

from .runs import make_boot

MS = 1_000_000
MIB = 1 << 20
QUIET, STATIC = ("console", "quiet"), ("libraries", "static")


def _attempt(task: Task) -> Attempt:
    """A quiet console saves time, static libraries more; these take memory and flash."""
    quiet, static = (task.levels[factor] == level for factor, level in (QUIET, STATIC))
    return Attempt(
        "booted",
        boot=make_boot({"kernel.sched_init": -10 * MS * quiet, "usable": -20 * MS * static}),
        flash={"root": (3 + static) * MIB},
        ram=(9 + 2 * static) * MIB,
    )


def _tune(make: Callable[[Task], Attempt], **request: Any) -> tuple[Sweep, list[Task], Any]:
    """The sweep, the tasks in their order, and the error that it ended with."""
    known = factors_of(make_plan(TuneRequest("verdex", ())).loaded.board)
    kept = {
        factor: levels[0]
        for factor, levels in known.items()
        if factor not in ("console", "libraries", "initcall_debug", "detail")
    }
    sweep = Sweep(make_plan(TuneRequest("verdex", (), keep=kept, **request)))
    tasks: list[Task] = []

    def submit(task: Task) -> "Future[Attempt]":
        tasks.append(task)
        future: Future[Attempt] = Future()
        future.set_result(make(task))
        return future

    with SilentProgress().step("", 1) as step:
        try:
            _try_all(sweep, submit, TuneStep(step))
        except PerfboardError as error:
            return sweep, tasks, error
    return sweep, tasks, None


def test_the_baseline_is_tried_before_anything_else() -> None:
    sweep, tasks, error = _tune(_attempt)
    assert error is None
    assert tasks[0].title == "baseline"
    assert len({task.title for task in tasks}) == len(tasks)
    assert best_of(sweep.space, sweep.known) == frozenset({QUIET, STATIC})


def test_a_limit_on_memory_changes_the_best() -> None:
    sweep, _, error = _tune(_attempt, max_ram=10 * MIB)
    assert error is None
    assert best_of(sweep.space, sweep.known) == frozenset({QUIET})
    barred = {frozenset(one.levels.items()): one.barred for one in sweep.recorded()[0]}
    assert barred[frozenset({STATIC})] == "beyond the limits"
    assert barred[frozenset({QUIET})] == ""


def test_a_limit_on_flash_is_looked_at_when_the_baseline_has_booted() -> None:
    _, tasks, error = _tune(_attempt, max_flash=MIB)
    assert isinstance(error, UsageError)
    assert "the smallest that there is takes 3 MiB" in str(error)
    assert [task.title for task in tasks if task.boots] == ["baseline"]
    assert len(tasks) > 1


@pytest.mark.parametrize(
    ("made", "kind", "words"),
    [
        (Attempt("not-booted", "it panics", "panic"), "panic", "does not boot. it panics"),
        (Attempt("not-built", "too large", "usage"), "usage", "does not build. too large"),
        (Attempt("booted", boot=make_boot(marks=())), "no-mark", "has no mark reset or usable"),
    ],
)
def test_a_baseline_that_does_not_boot_ends_it(made: Attempt, kind: str, words: str) -> None:
    sweep, tasks, error = _tune(lambda task: made)
    assert error.kind == kind
    assert isinstance(error, UsageError if kind == "usage" else TargetError)
    assert words in str(error)
    assert len(tasks) == 1
    (one,) = (each for each in sweep.recorded()[0] if each.outcome != "refused")
    assert (one.stage, one.kind) == ("baseline", kind)


def test_memory_that_is_not_known_cannot_be_limited() -> None:
    unknown = Attempt("booted", boot=make_boot())
    sweep, tasks, error = _tune(lambda task: unknown, max_ram=10 * MIB)
    assert isinstance(error, UsageError)
    assert "--max-ram: how much memory the baseline uses is not known" in str(error)
    assert len(tasks) == 1
    assert sweep.known[BASELINE] is not None
