# SPDX-License-Identifier: Apache-2.0
"""Tries made elsewhere: what is kept of them here."""

from dataclasses import replace

from perfboard.studies.tune.kept import KeptTries
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
