# SPDX-License-Identifier: Apache-2.0
"""A try that ends before it boots: what is the level's fault, and what this machine's."""

import pytest

from perfboard.images.image import Image
from perfboard.images.variant import Variant
from perfboard.model.errors import (
    BuildError,
    EnvironmentLacksError,
    PerfboardError,
    TargetError,
    UsageError,
)
from perfboard.model.progress import Progress
from perfboard.studies.tune.attempt import Attempt, Build, Task, attempt

TASK = Task("verdex", {})


def _failing(error: PerfboardError) -> Build:
    def build(variant: Variant, progress: Progress) -> Image:
        raise error

    return build


@pytest.mark.parametrize("error", [UsageError("too large"), BuildError("make failed")])
def test_a_level_at_fault_is_an_outcome(error: PerfboardError) -> None:
    found = attempt(TASK, build=_failing(error))
    assert (found.outcome, found.problem, found.kind) == ("not-built", str(error), error.kind)


def test_what_this_machine_lacks_ends_the_tune() -> None:
    lacks = EnvironmentLacksError("this machine lacks genromfs")
    with pytest.raises(EnvironmentLacksError, match="lacks genromfs"):
        attempt(TASK, build=_failing(lacks))


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
