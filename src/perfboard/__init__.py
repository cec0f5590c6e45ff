# SPDX-License-Identifier: Apache-2.0
"""Perfboard: a performance lab for embedded Linux.

These functions and `Run.rows()` are the interface for Python programs; docs/python.md shows
them. They import what they need when they are called, so that `import perfboard` is fast.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from perfboard.model.run import Run
    from perfboard.store.index import RunRow

__all__ = ["open_run", "runs"]


def open_run(run: "str | Path" = "latest") -> "Run":
    """The stored run that `run` names, as `perfboard show` takes it.

    Raises perfboard.model.errors.UsageError if there is none, or if it cannot be read.
    """
    from perfboard.store.folder import find_run
    from perfboard.store.reading import load_run

    return load_run(find_run(str(run)))


def runs() -> "list[RunRow]":
    """The user's runs, the newest first."""
    from perfboard.store.index import list_runs

    return list_runs()
