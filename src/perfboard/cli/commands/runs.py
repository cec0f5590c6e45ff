# SPDX-License-Identifier: Apache-2.0
"""`perfboard runs`, `show`, `report`, `compare`, `export`: stored runs."""

import argparse
import shutil
import sys
import webbrowser
from dataclasses import asdict

from perfboard.cli.words import parse_tags, print_json, print_run
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.text import printable
from perfboard.store.boards import find_named, find_pair
from perfboard.store.folder import check_ours, find_run, prune_unfinished, remove_run
from perfboard.store.reading import load_run


def runs(options: argparse.Namespace) -> int:
    """Lists the runs; of one board or the newest few, if asked to."""
    from perfboard.report.text import runs_text
    from perfboard.store.index import list_runs

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


def show(options: argparse.Namespace) -> int:
    """Prints one run."""
    print_run(load_run(find_named(options.run)), options.json)
    return 0


def report(options: argparse.Namespace) -> int:
    """Writes the report from the stored run alone."""
    from perfboard.report.writing import write_report

    folder = find_named(options.run)
    path = write_report(folder, options.with_host)
    if options.json:
        print_json({"run": folder.name, "report": str(path)})
    else:
        print(printable(str(path)))
    if options.open and not webbrowser.open(path.absolute().as_uri()):
        raise EnvironmentLacksError(f"--open: no browser was found; the report is {path}")
    return 0


def compare(options: argparse.Namespace) -> int:
    """Prints what changed from one run to the other."""
    from perfboard.analysis.compare.comparison import compare as compare_runs
    from perfboard.report.comparison import comparison_text
    from perfboard.report.writing import write_comparison

    names, across = (options.before, options.after), options.across_evidence
    folders = find_pair(*names, across_evidence=across)
    before, after = map(load_run, folders)
    comparison = compare_runs(before, after, across)
    if options.json:
        print_json(asdict(comparison))
        return 0
    print(comparison_text(comparison, (before, after)), end="")
    try:
        print(printable(str(write_comparison(*folders, across))), file=sys.stderr)
    except EnvironmentLacksError as error:
        # A run may lie where this user cannot write; the answer stands above.
        print(printable(f"No page was written: {error}"), file=sys.stderr)
    return 0


def export(options: argparse.Namespace) -> int:
    """Writes the run to standard output in another format."""
    from perfboard.report.export.choose import export as export_run

    sys.stdout.write(export_run(load_run(find_named(options.run)), options.format))
    return 0
