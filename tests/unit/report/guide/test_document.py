# SPDX-License-Identifier: Apache-2.0
"""A guide as a document: each row is one line, in every format, whatever a board calls things."""

import csv
import io
from collections import Counter
from pathlib import Path

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from perfboard.model.errors import UsageError
from perfboard.model.results.guide import GuideResult
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.published import ComparedFigure, PublishedResult
from perfboard.model.run import Run
from perfboard.report.export.choose import export
from perfboard.report.guide.rows import guide_rows
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.guides import GuidedTarget
from tests.support.runs import make_run, only

# Marks of reStructuredText and of Markdown, and what would end a line or a cell.
STRANGE = '*Board* `of` |us|_ "a, b"\\\n- <i>x</i> 1.::'


@pytest.fixture
def run(tmp_path: Path) -> Run:
    place = GuidedTarget()
    place.facts["board"] = STRANGE
    place.facts["compiler"] = "1. " + STRANGE
    found = place.measure(tmp_path)
    known = ComparedFigure(
        metric="ipc.pipe",
        labels={"size": "4096"},
        unit="s",
        published=0.5e-6,
        source="A maker's guide.",
    )
    results = (*found.results, PublishedResult(rows=(known,)))
    return found.model_copy(update={"results": results})


def test_docutils_parses_the_document(run: Run) -> None:
    text = export(run, "guide-rst")
    tree = publish_doctree(text, settings_overrides={"halt_level": 2, "report_level": 1})
    assert not list(tree.findall(nodes.system_message))
    titles = [each.astext() for each in tree.findall(nodes.title)]
    assert titles[1:] == ["Summary", "Kernel", "Storage", "Facts", "Left out", "Notes"]
    cells = [each.astext() for each in tree.findall(nodes.entry)]
    # A board's words are shown as they are, but for the line's end.
    assert f"{STRANGE.replace(chr(10), ' ')} (local)" in cells
    assert "ipc.pipe, 4 KiB" in cells and "500.0 ns" in cells
    # No row is anything but a line of its table.
    assert not list(tree.findall(nodes.literal_block)) + list(tree.findall(nodes.enumerated_list))


def test_a_row_is_a_line_in_each_format(run: Run) -> None:
    rows = guide_rows(run, only(run, GuideResult))
    assert Counter(row.area for row in rows) == {"Kernel": 2, "Storage": 8, "Facts": 1}
    for format, mark in (("guide-rst", '   "'), ("guide-markdown", "| ")):
        lines = export(run, format).splitlines()
        for row in rows:
            assert sum(f"{mark}{row.name.replace('_', '')}" in line for line in lines) >= 1
    table = list(csv.DictReader(io.StringIO(export(run, "guide-csv"))))
    assert len(table) == len(rows)
    (pipe,) = (row for row in table if row["metric"] == "ipc.pipe")
    assert (pipe["unit"], pipe["samples"], pipe["published"]) == ("s", "10", "5e-07")
    assert float(pipe["least"]) <= float(pipe["median"]) <= float(pipe["greatest"])
    (boot,) = (row for row in table if row["measure"] == "boot")
    assert boot["why_not"].startswith("a running system is not booted") and not boot["median"]


def test_the_makers_figure_stands_beside(run: Run) -> None:
    text = " ".join(run_text(run).split())
    assert "ipc.pipe, 4 KiB 1.002 µs ±0.2% 500.0 ns" in text
    page = render(run)
    assert "A maker&#39;s guide" in page and "2.00" in page
    assert "<i>x</i>" not in page
    markdown = export(run, "guide-markdown")
    assert "500.0 ns | 2.00" in markdown and "\\<i\\>" in markdown


def test_a_run_without_a_guide_has_no_document() -> None:
    with pytest.raises(UsageError, match="`perfboard measure guide` makes one"):
        export(make_run("run"), "guide-rst")


def test_a_measure_of_a_cut_record_is_passed_over(run: Run) -> None:
    cut = tuple(each for each in run.results if not isinstance(each, MeasuresResult))
    assert not guide_rows(run.model_copy(update={"results": cut}), only(run, GuideResult))
