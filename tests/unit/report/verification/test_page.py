# SPDX-License-Identifier: Apache-2.0
"""The page of a verification: the words of the text, all ratios drawn, and nothing of the host."""

import re
from dataclasses import replace

from perfboard.report.verification.page import render_verification, write_verification
from perfboard.report.verification.words import answer, coverage_rows, name_of
from tests.support.html import Reader
from tests.support.runs import stored
from tests.support.verifications import verification


def test_the_page_begins_with_the_answer_and_all_ratios() -> None:
    found = verification("teres")
    page = render_verification(found)
    text = Reader(page).text
    order = [
        answer(found),
        "A mark for each figure",
        "How many lie inside",
        "Published and virtual",
    ]
    order += ["What that says", "The part's parameters", "Sources", "The runs: run-1, run-2"]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    charts = re.findall(r'class="chart ratios (wide|narrow)".*?</svg>', page, re.DOTALL)
    assert charts == ["wide", "narrow"]
    # Each twice, and four in the key.
    assert page.count('<g class="mark ') == 2 * len(found.rows) + 5
    for row in found.rows:
        assert name_of(row) in text and row.published.source in text
    assert all(cell in text for cells in coverage_rows(found) for cell in cells)


def test_a_row_beyond_its_margin_is_marked() -> None:
    page = render_verification(verification("teres", {2: 2.0}))
    assert page.count('class="mark held-out beyond"') == 2 + 1
    assert "checks it !" in page


def test_what_a_stranger_wrote_is_escaped_and_the_host_named_nowhere() -> None:
    found = verification("rpi2", {25: None})
    first = replace(
        found.rows[25], problem="/home/anna/kernels/x.img: is <b>missing</b>", virtual=None
    )
    page = render_verification(
        replace(found, part="<script>x", rows=(*found.rows[:25], first, *found.rows[26:]))
    )
    assert "x.img: is &lt;b&gt;missing" in page and "anna" not in page
    assert {"script", "b"}.isdisjoint(Reader(page).tags)


def test_nothing_measured_makes_a_page_without_a_chart() -> None:
    found = verification("omap1710")
    page = render_verification(found)
    assert "No held-out figure was measured." in Reader(page).text
    assert "ratios wide" not in page and "Sources" not in page


def test_the_page_lies_in_the_first_run() -> None:
    folder = stored()
    found = replace(verification("rpi2"), runs=(folder.name, "run-2"))
    path = write_verification(found)
    assert path == folder / "verification.html"
    assert path.read_text() == render_verification(found)
