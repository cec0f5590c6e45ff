# SPDX-License-Identifier: Apache-2.0
"""Work on this machine: what is told of it, and giving up."""

import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from perfboard.bench.workers.local import local_workers
from perfboard.host.programs.command import follow
from perfboard.images.image import Image
from perfboard.images.variant import Variant
from perfboard.model.errors import Cancelled
from perfboard.model.progress import Progress
from perfboard.studies.tune.task import Task
from tests.support.lab import FakeLab

TASK = Task("verdex", {}, "console=quiet", boots=False)


def test_a_build_that_is_given_up_ends_with_its_command(tmp_path: Path) -> None:
    """As a kernel's build does: it looks at each line that make prints."""
    begun, fake = Event(), FakeLab(tmp_path)

    def build(variant: Variant, progress: Progress) -> Image:
        with progress.step("building", 100) as step:

            def show(line: str) -> bool:
                begun.set()
                step.update(1)
                return True

            follow(["sh", "-c", "while echo line; do sleep 0.01; done"], show, folder=tmp_path)
        return fake.build(variant, progress)

    notes: list[tuple[str, str]] = []
    began = time.monotonic()
    with (
        pytest.raises(KeyboardInterrupt),
        local_workers(fake.lab(build=build), lambda *said: notes.append(said)) as submit,
    ):
        futures = [submit(TASK) for _ in range(20)]
        assert begun.wait(20)
        raise KeyboardInterrupt
    assert time.monotonic() - began < 20
    assert all(future.done() for future in futures)
    assert any(isinstance(f.exception(), Cancelled) for f in futures if not f.cancelled())
    assert ("console=quiet", "building 1%") in notes
    assert notes[-1] == ("console=quiet", "")


def test_a_boot_tells_the_mark_that_it_reached(tmp_path: Path) -> None:
    notes: list[tuple[str, str]] = []
    with local_workers(FakeLab(tmp_path).lab(), lambda *said: notes.append(said)) as submit:
        submit(replace(TASK, boots=True)).result(20)
    assert [doing for _, doing in notes] == ["booting", "booting: kernel.entry", ""]
