# SPDX-License-Identifier: Apache-2.0
"""Which kinds of target there are, and how one is opened.

A kind is a module of this package with `SCHEME` (what stands before the first
colon), `FORM` (how the user writes it, for messages) and `connect`.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

import perfboard.targets
from perfboard.host.files.saved_log import import_advice
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress
from perfboard.targets.base import Target, meant
from perfboard.targets.folder import sweep_folders


class TargetKind(Protocol):
    """A module that brings a kind of target."""

    SCHEME: str
    FORM: str

    def connect(
        self, text: str, progress: Progress, artifacts: Path | None, factors: Mapping[str, str]
    ) -> AbstractContextManager[Target]:
        """The target that `text` names, connected; leaving the context disconnects it.

        Raises UsageError where `text` or one of `factors` is wrong, before it connects.
        """


def kinds() -> dict[str, TargetKind]:
    """All kinds of target by scheme."""
    found = (
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(perfboard.targets.__path__, "perfboard.targets.")
    )
    return {m.SCHEME: cast(TargetKind, m) for m in found if hasattr(m, "SCHEME")}


def open_target(
    text: str,
    progress: Progress,
    artifacts: Path | None = None,
    factors: Mapping[str, str] = MappingProxyType({}),
) -> AbstractContextManager[Target]:
    """The target that the user names; what its console says goes to the folder `artifacts`.

    It is rid of all that a killed command left there.
    `factors` are levels of a virtual board's. Raises UsageError for a wrong text. Entering
    the context raises EnvironmentLacksError where the way to the target lacks something,
    and TargetError where the target fails.
    """
    return _swept(kind_of(text).connect(text, progress, artifacts, factors))


@contextmanager
def _swept(opening: AbstractContextManager[Target]) -> Iterator[Target]:
    with opening as target:
        sweep_folders(target.shell)
        yield target


def kind_of(text: str) -> TargetKind:
    """The kind of the target that the user names. Raises UsageError where it is of none."""
    known = kinds()
    kind = known.get(text.partition(":")[0])
    if kind is None:
        forms = ", ".join(kind.FORM for _, kind in sorted(known.items()))
        raise UsageError(
            f'"{text}" is no target. A target is one of: {forms}.{meant(text)}{import_advice(text)}'
        )
    return kind
