# SPDX-License-Identifier: Apache-2.0
"""`perfboard show`, `report`, `compare`, `export`: what one stored run has, or two."""

import argparse
import sys
import webbrowser
from dataclasses import asdict

from perfboard.cli.finish import print_run
from perfboard.cli.words import print_json
from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.text import printable
from perfboard.store.boards import find_named, find_pair
from perfboard.store.reading import load_run


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
    from perfboard.report.compared import write_comparison
    from perfboard.report.comparison import comparison_text

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
