# SPDX-License-Identifier: Apache-2.0
"""The order of a tune's tries, and what ends it, with boots that are made up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from perfboard.analysis.tune.combinations import START, best_of
from perfboard.model.errors import PerfboardError, TargetError, UsageError
from perfboard.model.progress import SilentProgress
from perfboard.model.results.tune import TuneResult
from perfboard.model.run import Evidence, Outcome
from perfboard.store.recording import Content, Subject
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.proof import Proof
from perfboard.studies.tune.record import found_by
from perfboard.studies.tune.study import try_all
from perfboard.studies.tune.sweep import Sweep
from perfboard.studies.tune.task import Task, TaskResult
from tests.support.runs import MARKS, make_boot, make_run, only
from tests.support.tunes import at_once, keep_but, plan_of

MS = 1_000_000
MIB = 1 << 20
QUIET, STATIC = ("console", "quiet"), ("libraries", "static")


def _attempt(task: Task) -> TaskResult:
    """A quiet console saves time, static libraries more; these take memory and flash."""
    quiet, static = (task.levels[factor] == level for factor, level in (QUIET, STATIC))
    return TaskResult(
        "booted",
        boots=(make_boot({"kernel.sched_init": -10 * MS * quiet, "usable": -20 * MS * static}),),
        flash={"root": (3 + static) * MIB},
        ram=(9 + 2 * static) * MIB,
    )


def _tune(
    make: Callable[[Task], TaskResult],
    varied: Sequence[str] = ("console", "libraries"),
    keep: Mapping[str, str] = MappingProxyType({}),
    **request: Any,
) -> tuple[Sweep, list[Task], Any]:
    """The sweep, the tasks in their order, and the error that it ended with."""
    kept = {**keep_but(*varied), **keep}
    sweep = Sweep(plan_of(keep=kept, **request))
    tasks: list[Task] = []

    def noted(task: Task) -> TaskResult:
        tasks.append(task)
        return make(task)

    with SilentProgress().step("", 1) as step:
        try:
            try_all(sweep, at_once(noted), TuneStep(step))
        except PerfboardError as error:
            return sweep, tasks, error
    return sweep, tasks, None


def _found(sweep: Sweep, evidence: Evidence = Evidence.COUNTED) -> Content:
    subject = Subject(make_run().board, "virtual:verdex", evidence)
    return found_by(TuneOptions("verdex"), sweep, Proof(), subject)


def test_the_start_is_tried_before_anything_else() -> None:
    sweep, tasks, error = _tune(_attempt)
    assert error is None
    assert tasks[0].title == "start"
    assert len({task.title for task in tasks}) == len(tasks)
    assert best_of(sweep.space, sweep.known) == frozenset({QUIET, STATIC})


def test_a_limit_on_memory_changes_the_best() -> None:
    sweep, _, error = _tune(_attempt, max_ram=10 * MIB)
    assert error is None
    assert best_of(sweep.space, sweep.known) == frozenset({QUIET})
    excluded = {frozenset(one.levels.items()): one.excluded_because for one in sweep.recorded()[0]}
    assert excluded[frozenset({STATIC})] == "beyond the limits"
    assert excluded[frozenset({QUIET})] == ""


def test_a_limit_on_flash_is_looked_at_when_the_start_has_booted() -> None:
    _, tasks, error = _tune(_attempt, max_flash=MIB)
    assert isinstance(error, UsageError)
    assert "the smallest that there is takes 3 MiB" in str(error)
    assert [task.title for task in tasks if task.boots] == ["start"]
    assert len(tasks) > 1


@pytest.mark.parametrize(
    ("made", "kind", "words"),
    [
        (TaskResult("not-booted", "it panics", "panic"), "panic", "does not boot. it panics"),
        (TaskResult("not-built", "too large", "usage"), "usage", "does not build. too large"),
        (
            TaskResult("booted", boots=(make_boot(marks=()),)),
            "no-mark",
            "has no mark reset or usable",
        ),
    ],
)
def test_a_start_that_does_not_boot_ends_it(made: TaskResult, kind: str, words: str) -> None:
    sweep, tasks, error = _tune(lambda task: made)
    assert error.kind == kind
    assert isinstance(error, UsageError if kind == "usage" else TargetError)
    assert words in str(error)
    assert len(tasks) == 1
    (one,) = (each for each in sweep.recorded()[0] if each.outcome != "refused")
    assert (one.stage, one.kind) == ("start", kind)


def test_memory_that_is_not_known_cannot_be_limited() -> None:
    unknown = TaskResult("booted", boots=(make_boot(),))
    sweep, tasks, error = _tune(lambda task: unknown, max_ram=10 * MIB)
    assert isinstance(error, UsageError)
    assert "--max-ram: the memory in use is not known" in str(error)
    assert len(tasks) == 1
    assert sweep.known[START] is not None


def test_what_only_costs_in_all_counts_in_bound_and_limit() -> None:
    """It is not combined, and yet a boot that was tried and may be the best."""

    def costs(task: Task) -> TaskResult:
        quiet, static = (task.levels[factor] == level for factor, level in (QUIET, STATIC))
        changes = {"kernel.sched_init": -10 * MS * static, "usable": 400 * MS * static}
        changes["kernel.prepare_namespace"] = -10 * MS * quiet
        counters = {"flash_fs": round((0.515 - 0.1 * static) * 1e15)}
        boot = make_boot(changes, counters=counters)
        return TaskResult("booted", boots=(boot,), flash={"kernel": MIB}, ram=MIB)

    sweep, _, error = _tune(costs)
    assert error is None
    assert "static" not in sweep.space.levels["libraries"]
    tuning = only(_found(sweep), TuneResult)
    assert tuning.limit is not None
    assert tuning.bound_s == pytest.approx((MARKS["usable"] - 20 * MS) / 1e9)
    assert tuning.limit.read_bytes == pytest.approx(0.415 / 515e-9)


def test_a_runs_metrics_come_in_the_order_of_the_tries() -> None:
    sweep, _, _ = _tune(lambda task: replace(_attempt(task), flash={"kernel": MIB}))
    metrics = _found(sweep).metrics
    # In which order they ended is another each time.
    sweep.known = dict(reversed(list(sweep.known.items())))
    assert _found(sweep).metrics == metrics


@pytest.mark.parametrize(("precision_s", "outcome"), [(0, Outcome.PASS), (4, Outcome.INCONCLUSIVE)])
def test_a_verdict_knows_how_well_the_reset_is_known(precision_s: int, outcome: Outcome) -> None:
    boot = make_boot()
    reset, *others = boot.marks
    reset = reset.model_copy(update={"precision_ns": precision_s * 1000 * MS})
    boot = boot.model_copy(update={"marks": (reset, *others)})
    made = TaskResult("booted", boots=(boot, boot), flash={"kernel": MIB})
    sweep, _, _ = _tune(lambda task: made, ())
    (verdict,) = _found(sweep, Evidence.SILICON).verdicts
    assert verdict.outcome == outcome


def test_what_loses_something_meets_the_flash_and_stays_excluded() -> None:
    """A kernel that runs in flash costs by the flash's cache: issue 5 names the two."""
    sweep, _, error = _tune(_attempt, ("kernel", "flash"))
    assert error is None
    both = frozenset({("kernel", "xip"), ("flash", "cached")})
    assert sweep.known[both]
    (found,) = (one for one in sweep.recorded()[0] if one.levels == dict(both))
    assert (found.stage, found.outcome) == ("together", "booted")
    assert found.excluded_because.startswith("loses ")
    assert "xip" not in sweep.space.levels["kernel"]


def test_a_boot_without_the_starts_scripts_is_none() -> None:
    """It reaches usable all the same, and sooner."""

    def make(task: Task) -> TaskResult:
        made = _attempt(task)
        assert made.boot is not None
        if task.levels["libraries"] != "static":
            return made
        marks = tuple(mark for mark in made.boot.marks if mark.name != "exec:S30ethernet")
        return replace(made, boots=(made.boot.model_copy(update={"marks": marks}),))

    sweep, _, error = _tune(make)
    assert error is None
    assert best_of(sweep.space, sweep.known) == frozenset({QUIET})
    static = sweep.results[frozenset({STATIC})]
    assert (static.outcome, static.kind) == ("not-booted", "no-script")
    assert static.problem == "Init scripts that the start ran did not: ethernet."


def test_the_flashs_published_figures_keep_their_blocks() -> None:
    tuning = only(_found(Sweep(plan_of())), TuneResult)
    tuned = [rate.size for rate in tuning.published_rates if rate.level == "tuned"]
    assert tuned == [4096, 32768, MIB]
    slow = {rate.size: rate.value for rate in tuning.published_rates if rate.level == "delivered"}
    assert slow == {4096: 1.45e6, 32768: 1.45e6, MIB: 1.32e6}


def test_what_is_kept_is_found_where_the_start_cannot_be_beside_it() -> None:
    sweep, _, error = _tune(
        _attempt,
        ("console", "compression", "kernel"),
        keep={"kernel": "xip"},
        start={"compression": "lz4"},
    )
    assert error is None
    kept = {("kernel", "xip"), ("compression", "gzip")}
    assert best_of(sweep.space, sweep.known) == frozenset({QUIET, *kept})
