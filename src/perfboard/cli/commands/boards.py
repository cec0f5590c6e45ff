# SPDX-License-Identifier: Apache-2.0
"""`perfboard boards`, `studies`, `build`: what can be measured, its image, and how true it is."""

import argparse
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path

from perfboard.analysis.verify.programs import program_accuracy
from perfboard.analysis.verify.rows import Verification
from perfboard.bench.lab import Lab
from perfboard.boards.loader import list_boards, load_board, read_board
from perfboard.cli.options import options_from
from perfboard.cli.progress import progress
from perfboard.cli.words import parse_factors, print_json
from perfboard.factors.choose import choose
from perfboard.images.image import build_image
from perfboard.model.errors import (
    EXIT_FAILED_VERDICT,
    EXIT_INCONCLUSIVE,
    EnvironmentLacksError,
    UsageError,
)
from perfboard.model.text import printable
from perfboard.studies.base import studies as all_studies


def boards(options: argparse.Namespace) -> int:
    """Lists the boards."""
    from perfboard.report.boards import board_rows, boards_text

    rows = board_rows(load_board(name).board for name in list_boards())
    if options.json:
        print_json([asdict(row) for row in rows])
    else:
        print(boards_text(rows), end="")
    return 0


def show(options: argparse.Namespace) -> int:
    """Shows one board, virtual or real."""
    loaded = read_board(options.board)
    if options.json:
        print_json(loaded.board.model_dump(mode="json", by_alias=True))
        return 0
    from perfboard.report.boards import board_margins

    board = loaded.board
    print(printable(f"{board.name}: {board.title}\n"))
    print(printable(textwrap.fill(" ".join(board.description.split()), 78)) + "\n")
    if words := board_margins(board):
        print(f"{textwrap.fill(words, 78)}\n")
    print(f"its file, {loaded.path}:\n")
    print(printable(loaded.path.read_text("utf-8")), end="")
    return 0


def new(options: argparse.Namespace) -> int:
    """Writes the file of a board that boots an image of the user's own, and boots it if asked."""
    from perfboard.boards.new import OwnFiles, board_text

    path = Path(f"{options.new_board}.toml")
    own = OwnFiles(options.kernel, options.system_map, options.root, options.usable)
    text = board_text(options.new_board, options.like, own, Path())
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path}: is there already; choose another name, or delete it") from error
    except OSError as error:
        raise EnvironmentLacksError(f"cannot write {path}: {error.strerror}") from error
    try:
        load_board(f"./{path}")
    except UsageError:
        path.unlink()
        raise
    if options.boot:
        from perfboard.cli.command import main

        as_json = ("--json",) if options.json else ()
        return main(("study", "boot", "--board", f"./{path}", "--boots", "1", *as_json))
    if options.json:
        print_json({"board": options.new_board, "file": str(path)})
    else:
        print(printable(f"{path}\nNext: perfboard study boot --board ./{path}"))
    return 0


def verify(options: argparse.Namespace) -> int:
    """Holds the board against what was published of the real one."""
    from perfboard.studies.probing import TimeOptions
    from perfboard.studies.verify.study import verify_board

    budget_s = options_from(TimeOptions, options).time
    command = ("perfboard", *sys.argv[1:])
    found = verify_board(options.board, command, budget_s, Lab(progress()))
    return print_verification(found, options.json)


def print_verification(found: Verification, as_json: bool) -> int:
    """Prints what verifying a board found.

    1 where it lies beyond its margin, or a probe sees another part than its file says; else
    5 where something of that was not measured.
    """
    from perfboard.report.verification import verification_text

    if as_json:
        print_json(
            {
                "board": found.board,
                "part": found.part,
                "margin": found.margin,
                "margin_source": found.margin_source,
                "margins": dict(found.margins),
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
    from perfboard.bench.boot.slim import slim_options

    board: str = options.board
    found = slim_options(board, Lab(progress()))
    if options.json:
        print_json({"board": board, "options": found})
        return 0
    if not found:
        print(f"{board}: its boot uses all that could be switched off", file=sys.stderr)
        return 0
    print(f"# Built in and never used in a boot: found by `perfboard boards slim {board}`.")
    print("[image.kernel.slim]")
    for name, value in found.items():
        print(f'{name} = "{value}"')
    return 0


def studies(options: argparse.Namespace) -> int:
    """Lists the studies."""
    known = all_studies().values()
    if options.json:
        print_json(
            [
                {"name": s.name, "title": s.title, "question": s.question, "factors": s.factors}
                for s in known
            ]
        )
        return 0
    for study in known:
        print(f"{study.name}: {study.title}\n  {study.question}")
        for factor, levels in study.factors.items():
            print(f"  --set {factor}={'|'.join(levels)} (default: {levels[0]})")
    return 0


def build(options: argparse.Namespace) -> int:
    """Builds the image, and says where its files are."""
    loaded = load_board(options.board)
    image = build_image(choose(loaded, parse_factors(options.set)), progress())
    if options.json:
        print_json(
            {
                "board": loaded.board.name,
                "banks": [str(bank) for bank in image.banks],
                "kernel": str(image.kernel_file),
                "disk": str(image.root) if image.root else None,
                "hashes": image.hashes,
                "packages": image.packages,
                "notes": image.notes,
            }
        )
        return 0
    for number, bank in enumerate(image.banks):
        print(f"flash bank {number}: {bank}")
    if image.root is not None:
        print(f"kernel: {image.kernel_file}\ndisk: {image.root}")
    for note in image.notes:
        print(printable(f"note: {note}"))
    return 0
