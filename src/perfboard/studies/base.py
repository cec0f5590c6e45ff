# SPDX-License-Identifier: Apache-2.0
"""What every study is, and which there are."""

import importlib
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import perfboard.studies
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress
from perfboard.model.run import Run


@dataclass(frozen=True)
class Request:
    """What the user asked of a study: of which target, at which levels, how much of it.

    `boots` is for studies that boot; `budget_s` and `cpu`, the processor that is measured, for
    those that run probes, of which the target chooses one where `cpu` is None. `usable` and `reset`
    are for real boards that are booted: the regular expression of the line that says that the
    board is usable, and the command of this machine that resets it.
    """

    target: str
    factors: Mapping[str, str]
    command: tuple[str, ...]
    boots: int = 1
    budget_s: float = 60.0
    cpu: int | None = None
    usable: str | None = None
    reset: tuple[str, ...] = ()


class Study(Protocol):
    """A plan that measures one target and leaves one run.

    `factors` gives the levels of each factor, the default first; `default_target` is
    measured where the user names none.
    """

    name: str
    title: str
    question: str
    default_target: str
    factors: Mapping[str, tuple[str, ...]]

    def run(self, request: Request, progress: Progress) -> Run:
        """Measures, stores the run, and returns it; a failed or aborted one too.

        Raises PerfboardError for what is wrong before the measuring starts.
        """


@runtime_checkable
class Booting(Protocol):
    """A study that boots its target from reset, so often where the user does not say.

    It runs no probes.
    """

    default_boots: int


def place_of(target: str) -> str:
    """A short name for what the user calls a target, of letters, digits, dots and dashes."""
    scheme, _, rest = target.partition(":")
    host = re.sub(r":\d+$", "", rest.rpartition("@")[2])
    return re.sub(r"[^A-Za-z0-9.]+", "-", host or scheme).strip("-.")[-40:] or "target"


def studies() -> dict[str, Study]:
    """All studies by name: each module of this package that has a STUDY."""
    found = (
        importlib.import_module(f"perfboard.studies.{folder.name}.study")
        for folder in pkgutil.iter_modules(perfboard.studies.__path__)
        if folder.ispkg
    )
    return {m.STUDY.name: m.STUDY for m in found if hasattr(m, "STUDY")}


def get_study(name: str) -> Study:
    """The study of that name. Raises UsageError, listing those there are."""
    known = studies()
    if name not in known:
        raise UsageError(f'There is no study "{name}". There are: {", ".join(sorted(known))}.')
    return known[name]
