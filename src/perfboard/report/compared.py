# SPDX-License-Identifier: Apache-2.0
"""The page of two stored runs, written into the folder of the later."""

from pathlib import Path

from perfboard.analysis.compare.comparison import compare
from perfboard.report.comparison_page import render_comparison
from perfboard.report.privacy import without_host
from perfboard.report.writing import write_page
from perfboard.store.reading import load_run


def write_comparison(before: Path, after: Path, across_evidence: bool) -> Path:
    """Makes the page of two stored runs, in the folder of the later; returns its path."""
    runs = [without_host(load_run(folder)) for folder in (before, after)]
    text = render_comparison(compare(runs[0], runs[1], across_evidence), runs)
    return write_page(after / f"compared-with-{runs[0].id}.html", text)
