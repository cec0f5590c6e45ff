# SPDX-License-Identifier: Apache-2.0
"""Makes tries at once, and gives each result as it ends."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, as_completed

from perfboard.analysis.tune.combinations import Combination
from perfboard.studies.tune.task import Task, TaskResult

Submit = Callable[[Task], "Future[TaskResult]"]
# Runs tasks, by their combinations, and gives each result as it ends; again if booted again.
Make = Callable[[Mapping[Combination, Task]], Iterator[tuple[Combination, TaskResult]]]


def as_they_end(submit: Submit) -> Make:
    """A function that runs tasks at once, and gives each result as it ends. Raises a task's
    errors."""

    def make(tasks: Mapping[Combination, Task]) -> Iterator[tuple[Combination, TaskResult]]:
        pending = {submit(task): combination for combination, task in tasks.items()}
        for future in as_completed(pending):
            yield pending[future], future.result()

    return make
