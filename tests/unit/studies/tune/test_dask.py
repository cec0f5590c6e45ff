# SPDX-License-Identifier: Apache-2.0
"""Tries made elsewhere: what is kept here, which workers are refused, what Dask's ends become."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.studies.tune.dask import KeptTries, check_software, ended, software
from perfboard.studies.tune.task import Task, TaskResult
from tests.support.runs import make_boot

TASK = Task("verdex", {"console": "quiet"}, "console=quiet")
MADE = TaskResult(
    "booted",
    boots=(make_boot(),),
    console=b"\xff\x00 not text",
    flash={"kernel": 4},
    ram=5,
    hashes={"root": "ab"},
    notes=("a note",),
)
HERE = {"Perfboard": "0.1.0 (ab)", "qemu-system-arm": "7.2.22"}


def test_a_try_that_came_back_is_found_again() -> None:
    tries = KeptTries(HERE)
    assert tries.find(TASK) is None
    tries.keep(TASK, MADE)
    assert KeptTries(HERE).find(replace(TASK, title="another name")) == MADE


def test_it_is_not_taken_for_another() -> None:
    KeptTries(HERE).keep(TASK, MADE)
    assert KeptTries({**HERE, "qemu-system-arm": "10.0.0"}).find(TASK) is None
    for other in (replace(TASK, levels={"console": "off"}), replace(TASK, board="teres")):
        assert KeptTries(HERE).find(other) is None


def test_what_did_not_boot_is_tried_again() -> None:
    tries = KeptTries(HERE)
    tries.keep(TASK, TaskResult("not-booted", "a hang", "hang"))
    assert tries.find(TASK) is None


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
    future: Future[TaskResult] = Future()
    future.set_exception(UsageError("no such board"))
    with pytest.raises(UsageError, match="no such board"):
        ended(future)


def test_a_lost_scheduler_is_this_machines_lack() -> None:
    future: Future[TaskResult] = Future()
    future.cancel()
    future.set_running_or_notify_cancel()
    with pytest.raises(EnvironmentLacksError, match="the Dask scheduler was lost"):
        ended(future)


def test_workers_that_are_lost_again_and_again() -> None:
    scheduler = pytest.importorskip("distributed.scheduler")
    future: Future[TaskResult] = Future()
    last = SimpleNamespace(address="tcp://127.0.0.1:9")
    future.set_exception(scheduler.KilledWorker("task", last, 3))
    with pytest.raises(EnvironmentLacksError, match="lost again and again"):
        ended(future)
