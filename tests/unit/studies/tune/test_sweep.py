# SPDX-License-Identifier: Apache-2.0
"""What a sweep keeps of its tries where it is interrupted."""

import pytest

from perfboard.analysis.tune.combinations import START
from perfboard.model.progress import SilentProgress
from perfboard.model.results.boot import Boot
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.sweep import Sweep
from perfboard.studies.tune.task import Task, TaskResult
from tests.support.runs import make_boot
from tests.support.tunes import at_once, keep_but, plan_of


def _step() -> TuneStep:
    with SilentProgress().step("trying", 1) as step:
        return TuneStep(step)


def _done(task: Task) -> TaskResult:
    return TaskResult("booted")


class Interrupted(TaskResult):
    """One that has ended when ^C comes, before it is looked at what it took."""

    @property
    def boot(self) -> Boot | None:
        raise KeyboardInterrupt


def test_a_try_of_which_nothing_is_known_yet_is_none() -> None:
    sweep = Sweep(plan_of())
    with pytest.raises(KeyboardInterrupt):
        sweep.make([START], "alone", at_once(lambda task: Interrupted("booted")), _step())
    tries, boots, places = sweep.recorded()
    assert (tries, boots, places) == (list(sweep.plan.refused), [], {})


@pytest.mark.parametrize(
    ("slow", "first"),
    [("kernel.sched_init", "compression"), ("kernel.prepare_namespace", "drivers")],
)
def test_what_needs_no_kernel_is_tried_first_and_then_what_may_save_most(
    slow: str, first: str
) -> None:
    asked: list[str] = []

    def made(task: Task) -> TaskResult:
        asked.append(task.title)
        return TaskResult("booted", boots=(make_boot({slow: 10**10}),))

    sweep = Sweep(plan_of(keep=keep_but("compression", "drivers", "console")))
    sweep.make([START], "alone", at_once(made), _step())
    sweep.make(sweep.plan.alone, "alone", at_once(made), _step())
    kernel = {each: sweep.space.kernel(each) for each in sweep.plan.alone}
    own = [each for each in kernel if each and kernel[each] == kernel[START]]
    assert len(own) >= 2
    assert set(asked[1 : len(own) + 1]) == {sweep.task(each).title for each in own}
    # The kernels come by the time of the phase that they may shorten.
    factors = [title.partition("=")[0] for title in asked[len(own) + 1 :]]
    assert set(factors) == {"compression", "drivers"}
    assert factors == sorted(factors, key=lambda name: name != first)
    # The tries are recorded in the order in which they were asked for.
    tries = [each for each in sweep.recorded()[0] if each.outcome == "booted"]
    assert [each.levels for each in tries] == [dict(each) for each in sweep.plan.alone]


def test_what_is_left_to_do_counts_kernels_once() -> None:
    sweep = Sweep(plan_of())
    quiet, lz4 = frozenset({("console", "quiet")}), frozenset({("compression", "lz4")})
    kernel = sweep.work([lz4]) - 1
    assert kernel > 1
    assert sweep.work([START, quiet]) == 2 + kernel
    assert sweep.work([START, quiet, lz4, lz4 | quiet]) == 4 + 2 * kernel
    sweep.make([lz4], "alone", at_once(_done), _step())
    assert sweep.work([lz4 | quiet]) == 1
    assert sweep.work([]) == 0
