# SPDX-License-Identifier: Apache-2.0
"""The end of a command that has made a run, or shows one: what it prints, and its exit code."""

import os
import sys
from pathlib import Path

from perfboard.model.errors import (
    EXIT_FAILED_VERDICT,
    EXIT_INCONCLUSIVE,
    EXIT_INTERRUPTED,
    exit_code_of,
)
from perfboard.model.run import Outcome, Run, Status
from perfboard.model.text import printable
from perfboard.report.text import run_text
from perfboard.store.folder import find_run


def finish(run: Run, as_json: bool) -> int:
    """Writes the report of a run that was just made, and prints both; the exit code."""
    from perfboard.report.writing import write_report

    report = write_report(find_run(run.id))
    print_run(run, as_json)
    print(shortest(report), file=sys.stderr if as_json else sys.stdout)
    return exit_code(run)


def print_run(run: Run, as_json: bool) -> None:
    """A run's figures for people, or its run.json."""
    print(run.to_json() if as_json else run_text(run), end="" if as_json else "\n")


def shortest(path: Path) -> str:
    """The path as the user would type it: relative where that is inside this folder."""
    try:
        relative = os.path.relpath(path)
    except FileNotFoundError:
        # The working folder is gone.
        return printable(str(path))
    return printable(str(path) if relative.startswith("..") else relative)


def exit_code(run: Run) -> int:
    """The exit code of a command after the run."""
    if run.status is Status.ABORTED:
        return EXIT_INTERRUPTED
    if run.errors:
        return exit_code_of(run.errors[0].kind)
    outcomes = {verdict.outcome for verdict in run.verdicts}
    if Outcome.FAIL in outcomes or any(result.failed for result in run.results):
        return EXIT_FAILED_VERDICT
    undecided = any(result.undecided for result in run.results)
    return EXIT_INCONCLUSIVE if undecided or Outcome.INCONCLUSIVE in outcomes else 0
