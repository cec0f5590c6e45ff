# SPDX-License-Identifier: Apache-2.0
"""The report of a stored run, written into its folder."""

import os
from pathlib import Path

from perfboard.report.html import render
from perfboard.store.folder import disk_errors
from perfboard.store.reading import load_run


def write_report(folder: Path) -> Path:
    """Makes report.html from the stored run alone; returns its path.

    A reader of the old report never sees half of the new one.
    """
    text = render(load_run(folder)).encode()
    report = folder / "report.html"
    unfinished = folder / f".report.html.{os.getpid()}"
    with disk_errors(report, len(text)):
        try:
            unfinished.write_bytes(text)
            unfinished.replace(report)
        finally:
            unfinished.unlink(missing_ok=True)
    return report
