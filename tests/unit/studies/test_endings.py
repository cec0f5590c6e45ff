# SPDX-License-Identifier: Apache-2.0
"""Each study records its run, however the work ends: whole, by an error, or before it begins."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from perfboard.bench.request import Request
from perfboard.images.program.base import ProgramJob
from perfboard.images.variant import Variant
from perfboard.model.errors import Cancelled, EnvironmentLacksError, TargetError
from perfboard.model.results.boot import Boot
from perfboard.model.run import Evidence, Run, Status
from perfboard.probes.exchange import ProbeAnswer
from perfboard.probes.records import ProbeEntry
from perfboard.store.folder import find_run, runs_folder
from perfboard.store.reading import load_run
from perfboard.studies.boot.study import STUDY as BOOT
from perfboard.studies.boot.study import BootOptions
from perfboard.studies.probing import ProbeOptions
from perfboard.studies.program.study import try_boards
from perfboard.studies.standard.study import STUDY as STANDARD
from perfboard.studies.tune.options import TuneOptions
from perfboard.studies.tune.study import TUNE
from perfboard.targets.base import Target
from perfboard.targets.virtual.program import ProgramResults
from tests.support.lab import RESULTS, FakeLab
from tests.support.runs import make_boot
from tests.support.shells import SayingShell
from tests.support.tunes import keep_but, request_of

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
Ending = Callable[[], None]


def boots_that(end: Ending) -> Callable[[Variant], Boot]:
    def takes(variant: Variant) -> Boot:
        end()
        return make_boot()

    return takes


def boot(fake: FakeLab, end: Ending, **early: Any) -> Run:
    fake.takes = boots_that(end)
    return BOOT.run(Request("virtual:verdex", {}, ()), BootOptions(boots=2), fake.lab(**early))


def tune(fake: FakeLab, end: Ending, **early: Any) -> Run:
    fake.takes = boots_that(end)
    options = TuneOptions("verdex", keep=keep_but("console"))
    return TUNE.run(request_of(), options, fake.lab(**early))


def program(fake: FakeLab, end: Ending, **early: Any) -> Run:
    def ends(job: ProgramJob, cancelled: Event) -> ProgramResults:
        try:
            end()
        except KeyboardInterrupt:
            # The board runs in a thread, which ^C does not reach.
            raise Cancelled from None
        return RESULTS

    fake.ends = ends
    (run,) = try_boards(["rpi2"], ProgramJob(("true",)), {}, (), fake.lab(**early))
    return run


class Machine:
    """A target and the session on it."""

    machine = arch = "x86_64"

    def __init__(self, end: Ending) -> None:
        self._end = end

    def probes(self) -> tuple[ProbeEntry, ...]:
        return (ProbeEntry.model_validate({"probe": "ipc.pipe", "summary": "", "weight": 1}),)

    def run(self, probe: str, *_: object) -> ProbeAnswer:
        self._end()
        measured = '{"metric": "ipc.pipe", "unit": "s", "better": "lower", "samples": [1e-9]}'
        process = f'{{"process": {{"probe": "{probe}", "cpu": 0}}}}'
        return ProbeAnswer((process, measured, '{"end": {"elapsed_s": 0.1}}'), "exit 0")


def standard(fake: FakeLab, end: Ending, **early: Any) -> Run:
    @contextmanager
    def opened(*_: object) -> Iterator[Target]:
        if early:
            early["build"]()
        yield Target("local", Evidence.HOST, SayingShell())

    @contextmanager
    def probe(*_: object) -> Iterator[Machine]:
        yield Machine(end)

    lab = fake.lab(open=opened, probe=probe)
    return STANDARD.run(Request("local", {}, ()), ProbeOptions(1.0), lab)


every_study = pytest.mark.parametrize("study", [boot, standard, program, tune])


@every_study
@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (None, Status.COMPLETE, None),
        (TargetError("panic", "The kernel panicked."), Status.FAILED, "panic"),
        (FULL, Status.FAILED, "environment"),
        (KeyboardInterrupt(), Status.ABORTED, "interrupted"),
    ],
)
def test_a_run_is_stored(
    study: Callable[..., Run],
    error: BaseException | None,
    status: Status,
    kind: str | None,
    tmp_path: Path,
) -> None:
    def end() -> None:
        if error is not None:
            raise error

    run = study(FakeLab(tmp_path), end)
    assert load_run(find_run(run.id)).errors == run.errors
    assert (run.status, [each.kind for each in run.errors]) == (status, [kind] if kind else [])
    assert bool(run.metrics) == (error is None)
    if error is FULL:
        (recorded,) = run.errors
        assert "on the disk" in recorded.message or "disk is full" in recorded.message


@every_study
@pytest.mark.parametrize("error", [EnvironmentLacksError("no tool"), FULL, KeyboardInterrupt()])
def test_nothing_is_left_if_nothing_was_measured(
    study: Callable[..., Run], error: BaseException, tmp_path: Path
) -> None:
    def refused(*_: object) -> None:
        raise error

    early = {"require" if study is tune else "prepare" if study is program else "build": refused}
    with pytest.raises(type(error)):
        study(FakeLab(tmp_path), lambda: None, **early)
    assert not runs_folder().exists() or list(runs_folder().iterdir()) == []
