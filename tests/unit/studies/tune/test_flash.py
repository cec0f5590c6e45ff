# SPDX-License-Identifier: Apache-2.0
"""The probe that reads the flash at the end of a tune: what it refuses, and where it fails."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perfboard.model.errors import TargetError
from perfboard.model.progress import SilentProgress
from perfboard.model.run import Status
from perfboard.studies.lab import Lab
from perfboard.studies.tune import flash as tuning_flash
from perfboard.studies.tune import study as tuning
from perfboard.studies.tune import virtual as tuning_virtual
from perfboard.studies.tune.attempt import Attempt, Task
from perfboard.studies.tune.flash import flash_bandwidths
from perfboard.studies.tune.plan import TuneOptions
from perfboard.studies.tune.pool import Submit
from perfboard.studies.tune.study import TUNE
from tests.support.runs import make_boot
from tests.support.tunes import keep_but, plan_of, request_of, submitting

REFUSED = ('{"refused": "flash.read: /dev/mtd1: no such device"}', '{"end": {"elapsed_s": 0.1}}')
READ = (
    '{"metric": "flash.read.bandwidth", "unit": "B/s", "better": "higher", '
    '"labels": {"size": "512"}, "samples": [2e6]}',
    '{"end": {"elapsed_s": 1.0}}',
)
LEVELS = ("tuned", "asynchronous", "asynchronous-cached", "delivered", "cached", "delivered-cached")


KEEP = keep_but("flash")


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, ...] | TargetError]:
    """What the probe prints, time after time, and how it fails; the last of it again and again."""
    found: list[tuple[str, ...] | TargetError] = []

    def run(*arguments: object) -> Any:
        answer = found.pop(0) if len(found) > 1 else found[0]
        if isinstance(answer, TargetError):
            raise answer
        return SimpleNamespace(lines=answer, end="exit 0")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tuning_flash, "build_image", lambda *_: SimpleNamespace(hashes={}))
    monkeypatch.setattr(tuning_flash, "build_plugin", lambda _: tmp_path / "plugin.so")
    monkeypatch.setattr(tuning_flash, "emulator_version", lambda _: "1")
    monkeypatch.setattr(tuning_flash, "open_target", lambda *_: nullcontext())
    session = nullcontext(SimpleNamespace(run=run))
    monkeypatch.setattr(tuning_flash, "ProbeSession", lambda *_: session)
    return found


def test_what_the_probe_refused_is_told_and_not_kept(
    answers: list[tuple[str, ...] | TargetError],
) -> None:
    plan = plan_of(keep=KEEP)
    answers += [REFUSED, READ]
    metrics, problems = flash_bandwidths(plan, SilentProgress())
    assert [metric.labels["flash"] for metric in metrics] == list(LEVELS[1:])
    assert problems == ["flash=tuned was not read: flash.read: /dev/mtd1: no such device"]
    metrics, problems = flash_bandwidths(plan, SilentProgress())
    assert [metric.labels["flash"] for metric in metrics] == list(LEVELS)
    assert problems == []


def _attempt(task: Task) -> Attempt:
    cached = task.levels["flash"] == "cached"
    boot = make_boot({"usable": -10_000_000 * cached})
    return Attempt("booted", boots=(boot,), flash={"kernel": 1 << 20}, ram=1 << 20)


@contextmanager
def _workers(_: object) -> Iterator[Submit]:
    yield submitting(_attempt)


def test_a_tune_that_is_proved_is_complete_though_the_flash_cannot_be_read(
    answers: list[tuple[str, ...] | TargetError], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(tuning_virtual, "emulator_version", lambda _: "1")
    monkeypatch.setattr(tuning, "check_tools", lambda _: None)
    monkeypatch.setattr(tuning_virtual, "local_workers", _workers)
    monkeypatch.setattr(tuning_virtual, "_prove", lambda *_: make_boot({"usable": -10_000_000}))
    answers += [TargetError("hang", "The target says nothing."), READ]
    run = TUNE.run(request_of(), TuneOptions("verdex", keep=KEEP), Lab())
    assert (run.status, run.errors) == (Status.COMPLETE, ())
    assert run.verdicts and len(run.boots) == 1
    assert "flash=tuned was not read: The target says nothing." in run.provenance.notes
    read = [m.labels["flash"] for m in run.metrics if m.name == "flash.read.bandwidth"]
    assert read == list(LEVELS[1:])
