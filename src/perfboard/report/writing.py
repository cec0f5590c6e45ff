# SPDX-License-Identifier: Apache-2.0
"""The report of a stored run, written into its folder, or, if that is another user's, the cache."""

import os
from pathlib import Path

from perfboard.host.cache.cache import own_root
from perfboard.host.files.files import replace_file
from perfboard.host.files.shared import make_folder
from perfboard.report.html import render
from perfboard.report.privacy import without_host
from perfboard.store.folder import disk_errors
from perfboard.store.reading import load_run


def write_report(folder: Path, with_host: bool = False) -> Path:
    """Makes report.html from the stored run alone; returns its path.

    `with_host` shows the user, host and paths of the machine that made the run.
    A reader of the old report never sees half of the new one. Raises EnvironmentLacksError.
    """
    run = load_run(folder)
    report = folder / "report.html"
    if not os.access(folder, os.W_OK):
        report = own_root() / "reports" / f"{run.id}.html"
        with disk_errors(report):
            make_folder(report.parent)
    return write_page(report, render(run if with_host else without_host(run)))


def write_page(report: Path, page: str) -> Path:
    """Puts the page there in one step; returns its path. Raises EnvironmentLacksError."""
    with disk_errors(report, len(page.encode())):
        replace_file(report, page)
    return report
