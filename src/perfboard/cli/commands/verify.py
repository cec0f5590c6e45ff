# SPDX-License-Identifier: Apache-2.0
"""`perfboard boards verify` and `slim`: how true a board is, and what its kernel need not have."""

import argparse
import sys
from dataclasses import asdict

from perfboard.analysis.verify.programs import program_accuracy
from perfboard.analysis.verify.rows import Verification
from perfboard.bench.boot.slim import slim_options
from perfboard.bench.lab import Lab
from perfboard.cli.options import options_from
from perfboard.cli.progress import progress
from perfboard.cli.words import print_json
from perfboard.model.errors import EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE
from perfboard.model.target import command
from perfboard.report.verification import verification_text
from perfboard.studies.probing import TimeOptions
from perfboard.studies.verify.study import verify_board


def verify(options: argparse.Namespace) -> int:
    """Holds the board against what was published of the real one."""
    budget_s = options_from(TimeOptions, options).time
    command = ("perfboard", *sys.argv[1:])
    found = verify_board(options.board, command, budget_s, Lab(progress()))
    return print_verification(found, options.json)


def print_verification(found: Verification, as_json: bool) -> int:
    """Prints what verifying a board found.

    1 where it lies beyond its margin, or a probe sees another part than its file says; else
    5 where something of that was not measured.
    """
    if as_json:
        print_json(
            {
                "board": found.board,
                "part": found.part,
                "margins": {k: stated.model_dump() for k, stated in found.margins.items()},
                "margins_found": {k: stated.model_dump() for k, stated in found.found.items()},
                "margins_source": found.source,
                "accuracy": asdict(found.accuracy) if found.accuracy else None,
                "programs": {
                    use: asdict(half) for use, half in program_accuracy(found.rows).items()
                },
                "runs": found.runs,
                "kernel": found.kernel,
                "parameters": [{**asdict(row), "within": row.within} for row in found.parameters],
                "rows": [
                    {
                        **row.published.model_dump(mode="json"),
                        "virtual": row.virtual,
                        "ratio": row.ratio,
                        "within": row.within,
                        "problem": row.problem,
                        "scaled_by": row.scaled_by,
                        "modelled": row.modelled,
                    }
                    for row in found.rows
                ],
            }
        )
    else:
        print(verification_text(found), end="")
    within = [row.within for row in found.rows] + [row.within for row in found.parameters]
    if False in within:
        return EXIT_FAILED_VERDICT
    measured = [row.virtual for row in found.rows] + [row.seen for row in found.parameters]
    return EXIT_INCONCLUSIVE if None in measured else 0


def slim(options: argparse.Namespace) -> int:
    """Prints what a board's file may say of its kernel's configuration, for config=slim."""
    board: str = options.board
    found = slim_options(board, Lab(progress()))
    if options.json:
        print_json({"board": board, "options": found})
        return 0
    if not found:
        print(f"{board}: its boot uses all that could be switched off", file=sys.stderr)
        return 0
    how = command("boards", "slim", board)
    print(f"# Built in and never used in a boot: found by `{how}`.")
    print("[image.kernel.slim]")
    for name, value in found.items():
        print(f'{name} = "{value}"')
    return 0
