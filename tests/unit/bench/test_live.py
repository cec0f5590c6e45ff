# SPDX-License-Identifier: Apache-2.0
"""A live target says how busy others keep it, when a run begins and when it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from perfboard.bench.job import Job
from perfboard.bench.live import LiveBench
from perfboard.bench.options import BenchOptions
from perfboard.bench.request import Request
from perfboard.model.errors import TargetError
from perfboard.model.run import Evidence
from perfboard.targets.base import Reply, Shell, Target
from tests.support.lab import FakeLab
from tests.support.shells import SayingShell


class _LoadedShell(SayingShell):
    """Its load is one of `loads` each time; it is gone after the last one."""

    def __init__(self, *loads: str) -> None:
        super().__init__()
        self._loads = list(loads)

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        if not self._loads:
            raise TargetError("lost", "the target is gone")
        if "/proc/loadavg" not in script:
            return Reply(0, "")
        return Reply(0, self._loads.pop(0))

    def push(self, data: bytes, path: str, progress: object) -> None:
        """It takes any file."""


def bench_of(shell: Shell, tmp_path: Path) -> LiveBench:
    @contextmanager
    def open_it(*_: object) -> Iterator[Target]:
        yield Target("local", Evidence.HOST, shell, probe="x86_64")

    request = Request("local", {}, ("perfboard",))
    return LiveBench(request, BenchOptions(), FakeLab(tmp_path).lab(open=open_it), tmp_path)


def test_others_load_is_noted(tmp_path: Path) -> None:
    bench = bench_of(_LoadedShell("3.52 2 1 4/99 7\n", "4.10 3 2 4/99 8\n"), tmp_path)
    assert bench.run("one", Job("true"), lambda now_s: None) == ""
    (note,) = bench.notes
    assert "was 3.52 when the run began, and 4.10 when it ended, with its own work." in note


@pytest.mark.parametrize("said", ["", "cat: not found"])
def test_a_kernel_that_says_no_load_has_no_note(said: str, tmp_path: Path) -> None:
    bench = bench_of(_LoadedShell(said, said), tmp_path)
    with bench.shell():
        pass
    bench.close()
    assert bench.notes == ()


def test_a_lost_target_is_let_go_of(tmp_path: Path) -> None:
    bench = bench_of(_LoadedShell("3.52 2 1\n"), tmp_path)
    with pytest.raises(TargetError):
        bench.run("one", Job("true"), lambda now_s: None)
    (note,) = bench.notes
    assert "3.52 when the run began" in note and "ended" not in note
