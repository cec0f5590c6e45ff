# SPDX-License-Identifier: Apache-2.0
"""A try that ends before it boots: what is the level's fault, and what this machine's."""

from threading import Event
from typing import NoReturn

import pytest

from perfboard.bench.lab import Lab
from perfboard.model.errors import (
    BuildError,
    EnvironmentLacksError,
    PerfboardError,
    TargetError,
    UsageError,
)
from perfboard.studies.tune.task import Task, TaskResult


def _attempt(error: PerfboardError) -> TaskResult:
    """An attempt whose image is not built."""

    def build(*arguments: object) -> NoReturn:
        raise error

    return Task("verdex", {}).run(Lab(build=build), Event())


@pytest.mark.parametrize("error", [UsageError("too large"), BuildError("make failed")])
def test_a_level_at_fault_is_an_outcome(error: PerfboardError) -> None:
    found = _attempt(error)
    assert (found.outcome, found.problem, found.kind) == ("not-built", str(error), error.kind)


def test_what_this_machine_lacks_ends_the_tune() -> None:
    lacks = EnvironmentLacksError("this machine lacks genromfs")
    with pytest.raises(EnvironmentLacksError, match="lacks genromfs"):
        _attempt(lacks)


@pytest.mark.parametrize(
    ("kind", "error", "code"),
    [
        ("usage", UsageError, 2),
        ("build", BuildError, 3),
        ("panic", TargetError, 4),
        ("no-mark", TargetError, 4),
    ],
)
def test_the_starts_error_keeps_its_class(
    kind: str, error: type[PerfboardError], code: int
) -> None:
    found = TaskResult("not-booted", "the reason", kind).error("The start does not boot")
    assert type(found) is error
    assert (found.kind, found.exit_code) == (kind, code)
    assert str(found) == "The start does not boot. the reason"
