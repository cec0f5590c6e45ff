# SPDX-License-Identifier: Apache-2.0
"""Perfboard: a performance lab for embedded Linux.

These functions and `Run.rows()` are the interface for Python programs; docs/runs/python.md shows
them. They import what they need when they are called, so that `import perfboard` is fast.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from perfboard.model.run import Run
    from perfboard.store.row import RunRow

__all__ = ["open_run", "run_study", "runs"]


def open_run(run: "str | Path" = "latest") -> "Run":
    """The stored run that `run` names, as `perfboard show` takes it.

    Raises perfboard.model.errors.UsageError if there is none, or if it cannot be read.
    """
    from perfboard.store.boards import find_named
    from perfboard.store.reading import load_run

    return load_run(find_named(str(run)))


def runs() -> "list[RunRow]":
    """The user's runs, the newest first."""
    from perfboard.store.index import list_runs

    return list_runs()


def run_study(
    study: str,
    target: str | None = None,
    factors: "Mapping[str, str] | None" = None,
    **options: "Any",
) -> "Run":
    """Runs a study as `perfboard study` does, and returns the stored run, a failed one too.

    Without `target` it is the study's default. `options` are the study's. Raises
    perfboard.model.errors.PerfboardError before anything is measured, TypeError for an option
    that the study does not have.
    """
    import warnings

    from perfboard.bench.lab import Lab
    from perfboard.bench.request import Request
    from perfboard.model.options import declared
    from perfboard.studies.base import get_study
    from perfboard.studies.base import run_study as run

    chosen = get_study(study)
    command = ("perfboard.run_study", study)
    for each, option in declared(chosen.options):
        if option.formerly in options:
            words = f"{option.formerly} is called {each.name} now"
            warnings.warn(words, DeprecationWarning, stacklevel=2)
            options[each.name] = options.pop(option.formerly)
    request = Request(target or chosen.default_target, factors or {}, command)
    return run(chosen, request, chosen.options(**options), Lab())
