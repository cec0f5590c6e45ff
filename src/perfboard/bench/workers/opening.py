# SPDX-License-Identifier: Apache-2.0
"""Opens the workers that the user asks for: this machine's processors, or those of a scheduler."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from perfboard.bench.lab import Lab
from perfboard.bench.workers.distributed import Keeper, distributed_workers
from perfboard.bench.workers.local import local_workers
from perfboard.bench.workers.work import Note, Submit


@contextmanager
def open_workers(
    scheduler: str, lab: Lab, note: Note, keeper: Callable[[], Keeper]
) -> Iterator[Submit[Any]]:
    """A function that has work done; "" for no scheduler.

    `keeper` makes the one that keeps what a scheduler's workers did. Raises as
    `distributed_workers` does.
    """
    with (
        distributed_workers(scheduler, note, keeper()) if scheduler else local_workers(lab, note)
    ) as submit:
        yield submit
