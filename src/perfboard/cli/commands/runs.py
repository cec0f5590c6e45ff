# SPDX-License-Identifier: Apache-2.0
"""`perfboard runs`: the runs that are stored, and what removes them."""

import argparse
import shutil
import sys
from dataclasses import asdict

from perfboard.cli.words import parse_tags, print_json
from perfboard.model.text import printable
from perfboard.report.runs import runs_text
from perfboard.store.folder import check_ours, find_run, prune_unfinished, remove_run
from perfboard.store.index import list_runs


def runs(options: argparse.Namespace) -> int:
    """Lists the runs; of one board or the newest few, if asked to."""
    rows = list_runs()
    if options.unfinished:
        rows = [row for row in rows if row.status == "unfinished"]
    tags = parse_tags(options.tag).items()
    rows = [row for row in rows if options.board in (None, row.board) and tags <= row.tags.items()]
    rows = rows[: options.limit]
    if options.json:
        print_json([asdict(row) for row in rows])
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        print(runs_text(rows, width), end="")
    return 0


def rm(options: argparse.Namespace) -> int:
    """Deletes runs, once all of them are found."""
    folders = [find_run(name) for name in dict.fromkeys(options.runs)]
    for folder in folders:
        check_ours(folder)
    for folder in folders:
        remove_run(folder)
    if options.json:
        print_json([str(folder) for folder in folders])
    else:
        print(printable("".join(f"removed {folder}\n" for folder in folders)), end="")
    return 0


def prune(options: argparse.Namespace) -> int:
    """Removes the unfinished runs."""
    removed = [str(path) for path in prune_unfinished()]
    if options.json:
        print_json(removed)
    else:
        print(printable("".join(f"removed {path}\n" for path in removed)), end="")
    return 0
