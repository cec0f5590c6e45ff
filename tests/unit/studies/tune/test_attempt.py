# SPDX-License-Identifier: Apache-2.0
"""A try that ends before it boots: what is the level's fault, and what this machine's."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from perfboard.host.command import run_tool
from perfboard.model.errors import (
    BuildError,
    EnvironmentLacksError,
    PerfboardError,
    TargetError,
    UsageError,
)
from perfboard.studies.tune import attempt as tuning_boot
from perfboard.studies.tune.attempt import Attempt, Task, attempt

TASK = Task("verdex", {})


def _failing(error: PerfboardError) -> Callable[..., None]:
    def build(*arguments: object) -> None:
        raise error

    return build


@pytest.mark.parametrize("error", [UsageError("too large"), BuildError("make failed")])
def test_a_level_at_fault_is_an_outcome(
    error: PerfboardError, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning_boot, "build_image", _failing(error))
    found = attempt(TASK)
    assert (found.outcome, found.problem, found.kind) == ("not-built", str(error), error.kind)


def test_what_this_machine_lacks_ends_the_tune(monkeypatch: pytest.MonkeyPatch) -> None:
    lacks = EnvironmentLacksError("this machine lacks genromfs")
    monkeypatch.setattr(tuning_boot, "build_image", _failing(lacks))
    with pytest.raises(EnvironmentLacksError, match="lacks genromfs"):
        attempt(TASK)


@pytest.mark.parametrize(
    ("kind", "error", "code"),
    [
        ("usage", UsageError, 2),
        ("build", BuildError, 3),
        ("panic", TargetError, 4),
        ("no-mark", TargetError, 4),
    ],
)
def test_the_baselines_error_keeps_its_class(
    kind: str, error: type[PerfboardError], code: int
) -> None:
    found = Attempt("not-booted", "the reason", kind).error("The baseline does not boot")
    assert type(found) is error
    assert (found.kind, found.exit_code) == (kind, code)
    assert str(found) == "The baseline does not boot. the reason"


def _run(script: str, folder: Path) -> type[PerfboardError]:
    with pytest.raises(EnvironmentLacksError) as raised:
        run_tool(["sh", "-c", script], folder)
    assert "sh" in str(raised.value)
    return raised.type


def test_whose_fault_a_tools_failure_is(tmp_path: Path) -> None:
    assert _run("echo bad content; exit 1", tmp_path) is BuildError
    full = "echo 'write: No space left on device'; seq 100; exit 1"
    assert _run(full, tmp_path) is EnvironmentLacksError
    assert _run("kill -9 $$", tmp_path) is EnvironmentLacksError


def test_a_tool_that_fails_where_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=4096))
    with pytest.raises(EnvironmentLacksError, match="with 4 KiB left on the disk of") as raised:
        run_tool(["sh", "-c", "echo cannot write; exit 1"], tmp_path)
    assert raised.type is EnvironmentLacksError
    assert str(raised.value).endswith("cannot write")
