# SPDX-License-Identifier: Apache-2.0
"""What a sweep keeps of its tries where it is interrupted."""

import pytest

from perfboard.analysis.tune.combinations import BASELINE
from perfboard.model.progress import SilentProgress
from perfboard.model.results.boot import Boot
from perfboard.studies.tune.progress import TuneStep
from perfboard.studies.tune.sweep import Sweep
from perfboard.studies.tune.task import Task, TaskResult
from tests.support.tunes import at_once, plan_of


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
        sweep.make([BASELINE], "alone", at_once(lambda task: Interrupted("booted")), _step())
    tries, boots, places = sweep.recorded()
    assert (tries, boots, places) == (list(sweep.plan.refused), [], {})


def test_what_is_left_to_do_counts_kernels_once() -> None:
    sweep = Sweep(plan_of())
    quiet, lz4 = frozenset({("console", "quiet")}), frozenset({("compression", "lz4")})
    kernel = sweep.work([lz4]) - 1
    assert kernel > 1
    assert sweep.work([BASELINE, quiet]) == 2 + kernel
    assert sweep.work([BASELINE, quiet, lz4, lz4 | quiet]) == 4 + 2 * kernel
    sweep.make([lz4], "alone", at_once(_done), _step())
    assert sweep.work([lz4 | quiet]) == 1
    assert sweep.work([]) == 0
