# SPDX-License-Identifier: Apache-2.0
"""Two runs compared: the answer, the two boots on one scale of time, then the rest."""

import re

from perfboard.analysis.compare.comparison import compare
from perfboard.model.run import BoardSummary
from perfboard.report.compared import write_comparison
from perfboard.report.comparison import comparison_text
from perfboard.report.comparison_page import render_comparison
from tests.support.html import Reader
from tests.support.probe_runs import make_probe_run
from tests.support.runs import make_boot, make_run, stored

BEFORE = make_run("20261121-091500-boot-verdex-3f2a")
AFTER = make_run(
    "20261121-101500-boot-verdex-77aa",
    boots=tuple(make_boot({"kernel.prepare_namespace": -68_000_000}) for _ in range(3)),
    factors={"quiet": "off"},
)


def test_the_page_begins_with_the_answer_and_both_boots() -> None:
    page = render_comparison(compare(BEFORE, AFTER), (BEFORE, AFTER))
    text = Reader(page).text
    order = ["boot.total fell by 68.00 ms", f"run {BEFORE.id}, counted", f"run {AFTER.id}, counted"]
    order += ["What changed", "Instructions", "What differs of the runs", "factor quiet"]
    places = [text.rindex(words) for words in order]
    assert places == sorted(places)
    assert page.count('class="chart wide"') == page.count('class="chart narrow"') == 2


def test_both_boots_have_one_scale_of_time() -> None:
    page = render_comparison(compare(BEFORE, AFTER), (BEFORE, AFTER))
    charts = re.findall(r'class="chart wide".*?</svg>', page, re.DOTALL)
    ticks = [re.findall(r'class="axis" x="([0-9.]+)".*?>([^<]*)<', chart) for chart in charts]
    assert len(ticks) == 2 and len(ticks[0]) > 3 and ticks[0] == ticks[1]
    lines = comparison_text(compare(BEFORE, AFTER), (BEFORE, AFTER)).splitlines()
    heads = [n for n, line in enumerate(lines) if ", run " in line]
    assert lines[0].startswith("boot.total fell") and lines[heads[0] - 1] == ""
    bars = [[line for line in lines[head:][:8] if "\N{FULL BLOCK}" in line] for head in heads]
    widths = [max(line.rindex("\N{FULL BLOCK}") for line in of) for of in bars]
    assert widths[0] > widths[1]
    assert lines.index(next(line for line in lines if line.startswith("before "))) > heads[1]


def test_probes_have_groups_and_no_boots() -> None:
    runs = make_probe_run("a"), make_probe_run("b")
    page = render_comparison(compare(*runs), runs)
    assert "What the probes measured" in Reader(page).text and "chart" not in Reader(page).tags
    assert "waterfall first" not in page


def test_what_a_stranger_named_is_escaped() -> None:
    board = BoardSummary(name="<b>x", title="<script>alert(1)</script>", description="")
    runs = BEFORE, AFTER.model_copy(update={"board": board})
    page = render_comparison(compare(*runs), runs)
    assert "<script>" not in page and "<b>" not in page
    assert {"script", "b"}.isdisjoint(Reader(page).tags)


def test_the_page_lies_in_the_later_run() -> None:
    before, after = stored(), stored(factors={"quiet": "off"})
    path = write_comparison(before, after, across_evidence=False)
    assert path == after / f"compared-with-{before.name}.html"
    assert str(before) not in path.read_text()
