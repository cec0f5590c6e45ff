# SPDX-License-Identifier: Apache-2.0
"""`perfboard runs`, `show`, `report`, `compare`, `export`: stored runs."""

import argparse
import sys
from dataclasses import asdict

from perfboard.cli.words import print_json, print_run
from perfboard.model.text import printable
from perfboard.store.folder import find_run, prune_unfinished
from perfboard.store.reading import load_run


def runs(options: argparse.Namespace) -> int:
    """Lists the runs."""
    from perfboard.report.text import runs_text
    from perfboard.store.index import list_runs

    rows = list_runs()
    if options.unfinished:
        rows = [row for row in rows if row.status == "unfinished"]
    if options.json:
        print_json([asdict(row) for row in rows])
    else:
        print(runs_text(rows), end="")
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
    print_run(load_run(find_run(options.run)), options.json)
    return 0


def report(options: argparse.Namespace) -> int:
    """Writes the report from the stored run alone."""
    from perfboard.report.writing import write_report

    folder = find_run(options.run)
    path = write_report(folder)
    if options.json:
        print_json({"run": folder.name, "report": str(path)})
    else:
        print(printable(str(path)))
    return 0


def compare(options: argparse.Namespace) -> int:
    """Prints what changed from one run to the other."""
    from perfboard.analysis.compare.comparison import compare as compare_runs
    from perfboard.report.comparison import comparison_text

    before, after = (load_run(find_run(name)) for name in (options.before, options.after))
    comparison = compare_runs(before, after, options.across_evidence)
    if options.json:
        print_json(asdict(comparison))
    else:
        print(comparison_text(comparison), end="")
    return 0


def export(options: argparse.Namespace) -> int:
    """Writes the run to standard output in another format."""
    from perfboard.report.export.choose import export as export_run

    sys.stdout.write(export_run(load_run(find_run(options.run)), options.format))
    return 0
