# SPDX-License-Identifier: Apache-2.0
"""`perfboard boards verify` and `slim`: how true a board is, and what its kernel need not have."""

import argparse
import sys
from dataclasses import asdict

from perfboard.analysis.verify.coverage import class_of, coverage, held_out
from perfboard.analysis.verify.programs import program_accuracy
from perfboard.analysis.verify.rows import Verification
from perfboard.bench.boot.slim import slim_options
from perfboard.bench.lab import Lab
from perfboard.cli.finish import shortest
from perfboard.cli.options import options_from
from perfboard.cli.progress import progress
from perfboard.cli.words import print_json
from perfboard.model.errors import EXIT_FAILED_VERDICT, EXIT_INCONCLUSIVE, EXIT_INTERRUPTED
from perfboard.model.target import command
from perfboard.report.verification.text import verification_text
from perfboard.report.verification.words import answer, name_of
from perfboard.studies.probing import TimeOptions
from perfboard.studies.verify.ahead import runs_ahead
from perfboard.studies.verify.plan import make_plan
from perfboard.studies.verify.study import verify_board


def verify(options: argparse.Namespace) -> int:
    """Holds the board against what was published of the real one."""
    plan = make_plan(options.board, options_from(TimeOptions, options).time)
    print(f"Verifying {plan.loaded.board.name}: {runs_ahead(plan).words}.", file=sys.stderr)
    found = verify_board(plan, ("perfboard", *sys.argv[1:]), Lab(progress()))
    return print_verification(found, options.json, options.report)


def print_verification(found: Verification, as_json: bool, as_page: bool = False) -> int:
    """Prints what verifying a board found; with `as_page`, the path of its page is the last line.

    130 where it was interrupted; 1 where it lies beyond its margin, or a probe sees another part
    than its file says; else 5 where something of that was not measured.
    """
    if as_json:
        _print_json(found)
    else:
        print(verification_text(found), end="")
    if as_page:
        from perfboard.report.verification.page import write_verification

        print(shortest(write_verification(found)), file=sys.stderr if as_json else sys.stdout)
    if found.interrupted:
        return EXIT_INTERRUPTED
    within = [row.within for row in found.rows] + [row.within for row in found.parameters]
    if False in within:
        return EXIT_FAILED_VERDICT
    measured = [row.virtual for row in found.rows] + [row.seen for row in found.parameters]
    return EXIT_INCONCLUSIVE if None in measured else 0


def _print_json(found: Verification) -> None:
    held = held_out(found.rows)
    print_json(
        {
            "board": found.board,
            "part": found.part,
            "answer": answer(found),
            "held_out": held
            and {
                "rows": held.rows,
                "bounded": held.bounded,
                "inside": held.inside,
                "mean": held.mean,
                "worst": held.worst,
                "worst_row": name_of(held.worst_row),
            },
            "classes": [
                {**asdict(each), "margin": each.margin.model_dump()}
                for each in coverage(found.rows, found.margins)
            ],
            "margins": {k: stated.model_dump() for k, stated in found.margins.items()},
            "margins_found": {k: stated.model_dump() for k, stated in found.found.items()},
            "margins_source": found.source,
            "accuracy": asdict(found.accuracy) if found.accuracy else None,
            "programs": {use: asdict(half) for use, half in program_accuracy(found.rows).items()},
            "runs": found.runs,
            "interrupted": found.interrupted,
            "kernel": found.kernel,
            "parameters": [{**asdict(row), "within": row.within} for row in found.parameters],
            "rows": [
                {
                    **row.published.model_dump(mode="json"),
                    "class": class_of(row),
                    "stated_ratio": row.published.ratio,
                    "virtual": row.virtual,
                    "ratio": row.ratio,
                    "within": row.within,
                    "problem": row.problem,
                    "scaled_by": row.scaled_by,
                    "modelled": row.modelled,
                    "host_s": row.host_s,
                }
                for row in found.rows
            ],
        }
    )


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
