# SPDX-License-Identifier: Apache-2.0
"""Work that is done elsewhere: which workers are refused, and what Dask's ends become."""

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from perfboard.bench.workers.distributed import check_software, ended, software
from perfboard.model.errors import EnvironmentLacksError, UsageError


def test_a_worker_with_other_software_is_refused(program: Callable[[str, str], None]) -> None:
    program("qemu-system-arm", "echo QEMU emulator version 7.2.22")
    here = software("qemu-system-arm")
    check_software(here, "qemu-system-arm", "tcp://a:1")
    for name in here:
        other = {**here, name: "9.9"}
        words = f"worker tcp://a:1 has {name} .*, not 9.9"
        with pytest.raises(EnvironmentLacksError, match=words):
            check_software(other, "qemu-system-arm", "tcp://a:1")


def test_what_an_attempt_raises_comes_through() -> None:
    future: Future[int] = Future()
    future.set_exception(UsageError("no such board"))
    with pytest.raises(UsageError, match="no such board"):
        ended(future)


def test_a_lost_scheduler_is_this_machines_lack() -> None:
    future: Future[int] = Future()
    future.cancel()
    future.set_running_or_notify_cancel()
    with pytest.raises(EnvironmentLacksError, match="the Dask scheduler was lost"):
        ended(future)


def test_workers_that_are_lost_again_and_again() -> None:
    scheduler = pytest.importorskip("distributed.scheduler")
    future: Future[int] = Future()
    last = SimpleNamespace(address="tcp://127.0.0.1:9")
    future.set_exception(scheduler.KilledWorker("task", last, 3))
    with pytest.raises(EnvironmentLacksError, match="lost again and again"):
        ended(future)
