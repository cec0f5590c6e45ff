# SPDX-License-Identifier: Apache-2.0
"""The report of a stored run, and the page of two, written into a run's folder."""

import os
import tempfile
from pathlib import Path

from perfboard.analysis.compare.comparison import compare
from perfboard.report.comparison_page import render_comparison
from perfboard.report.html import render
from perfboard.report.privacy import without_host
from perfboard.store.folder import disk_errors
from perfboard.store.reading import load_run


def write_report(folder: Path, with_host: bool = False) -> Path:
    """Makes report.html from the stored run alone; returns its path.

    `with_host` shows the user, host and paths of the machine that made the run.
    A reader of the old report never sees half of the new one.
    """
    run = load_run(folder)
    return _write(folder / "report.html", render(run if with_host else without_host(run)))


def write_comparison(before: Path, after: Path, across_evidence: bool) -> Path:
    """Makes the page of two stored runs, in the folder of the later; returns its path."""
    runs = [without_host(load_run(folder)) for folder in (before, after)]
    text = render_comparison(compare(runs[0], runs[1], across_evidence), runs)
    return _write(after / f"compared-with-{runs[0].id}.html", text)


def _write(report: Path, page: str) -> Path:
    folder, text = report.parent, page.encode()
    with disk_errors(report, len(text)):
        # The folder may be anyone's: a name that cannot be there already follows no link.
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".report.")
        unfinished = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text)
            unfinished.chmod(0o644)
            unfinished.replace(report)
        finally:
            unfinished.unlink(missing_ok=True)
    return report
