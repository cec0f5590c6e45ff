# SPDX-License-Identifier: Apache-2.0
"""The end of a command that has made a run, or shows one: what it prints, and its exit code."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from perfboard.model.budget import MetricLimit
from perfboard.model.errors import (
    EXIT_FAILED_VERDICT,
    EXIT_INCONCLUSIVE,
    EXIT_INTERRUPTED,
    TargetError,
    exit_code_of,
)
from perfboard.model.results.guide import GuideResult
from perfboard.model.results.measures import Measurement, MeasuresResult
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Outcome, Run, Status
from perfboard.model.text import printable
from perfboard.report.text import run_text
from perfboard.store.folder import find_run

_CODES = {
    Outcome.PASS: 0,
    Outcome.FAIL: EXIT_FAILED_VERDICT,
    Outcome.INCONCLUSIVE: EXIT_INCONCLUSIVE,
}


def finish(
    run: Run, as_json: bool, named: Sequence[str] = (), budgets: Sequence[MetricLimit] = ()
) -> int:
    """Writes the report of a run that was just made, and prints both; the exit code.

    `named` are measures that the user asked for one by one, `budgets` those of the command line.
    """
    from perfboard.report.writing import write_report

    report = write_report(find_run(run.id))
    print_run(run, as_json)
    print(shortest(report), file=sys.stderr if as_json else sys.stdout)
    code = exit_code(run, named)
    # One that nothing was held against leaves the answer open.
    return EXIT_INCONCLUSIVE if code == 0 and budgets and run.no_verdicts else code


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


def exit_code(run: Run, named: Sequence[str] = ()) -> int:
    """The exit code that says how the run ended, or else its outcome."""
    if run.status is Status.ABORTED:
        return EXIT_INTERRUPTED
    if run.errors:
        return exit_code_of(run.errors[0].kind)
    # A profile's verdicts say what was not measured, and a guide is of what a board has.
    has_reasons = bool(run.results_of(ProfileResult)) or bool(run.results_of(GuideResult))
    if not has_reasons and (missing := _missing(run, named)):
        failed = any(row.failed for row in missing)
        return TargetError.exit_code if failed else EXIT_INCONCLUSIVE
    return _CODES[run.outcome]


def _missing(run: Run, named: Sequence[str]) -> list[Measurement]:
    """The measures without a figure, but for probes of a set: those take what a target has."""
    return [
        row
        for result in run.results_of(MeasuresResult)
        for row in result.measurements
        if row.reason and (row in result.own or row.measure in named)
    ]
