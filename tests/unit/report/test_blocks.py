# SPDX-License-Identifier: Apache-2.0
"""Blocks on the terminal and on the page."""

import pytest
from pydantic import ValidationError

from perfboard.model.blocks import (
    Bar,
    Block,
    ChartBand,
    ChartBlock,
    ChartSeries,
    Excerpt,
    SentenceBlock,
    TableBlock,
)
from perfboard.model.results.measures import Measurement, MeasuresResult
from perfboard.model.run import Run
from perfboard.report.html import render
from perfboard.report.text import run_text
from tests.support.html import Reader
from tests.support.runs import make_run

SENTENCE = SentenceBlock(text="Most of it is spent in the second part.")
TABLE = TableBlock(
    title="Parts",
    caption="Each part by itself.",
    columns=("part", "what", "time"),
    rows=(("first", "a", "1.000 s"), ("second", "b", "12.00 s")),
    words=2,
)
CHART = ChartBlock(
    title="Time over size",
    x="size",
    y="time",
    unit="s",
    x_bytes=True,
    lines=(
        ChartSeries(label="reads", points=((4096, 2e-3), (1024, 1e-3), (0, 9)), look=0),
        ChartSeries(label="below all", points=((-1, 5),), look=-7),
    ),
)


def run_with(*blocks: Block) -> Run:
    measurement = Measurement(measure="app.parts", title="Parts", short="13 s", blocks=blocks)
    results = (MeasuresResult(measurements=(measurement,)),)
    return make_run(headline=None, metrics=(), results=results)


def test_the_terminal_prints_sentences_and_tables() -> None:
    text = run_text(run_with(SENTENCE, TABLE, CHART))
    lines = [line.rstrip() for line in text.splitlines()]
    start = lines.index("app.parts: Parts: 13 s.")
    assert lines[start + 1 : start + 10] == [
        "",
        "Most of it is spent in the second part.",
        "",
        "Parts:",
        "part     what      time",
        "───────────────────────",
        "first    a      1.000 s",
        "second   b      12.00 s",
        "Each part by itself.",
    ]
    assert "Time over size" not in text


def test_the_page_prints_all_of_them_in_order() -> None:
    page = render(run_with(SENTENCE, TABLE, CHART))
    text = Reader(page).text
    places = [text.index(words) for words in (SENTENCE.text, TABLE.caption, CHART.title)]
    assert places == sorted(places)
    assert '<th scope="row">first</th><td>a</td><td class="number">1.000 s</td>' in page
    assert page.count('class="chart plot wide"') == page.count('class="chart plot narrow"') == 1
    # In order of x, and without what the plane cannot hold.
    assert "1 KiB1.000 ms 4 KiB2.000 ms" in text
    assert "<title>reads</title>" in page and "below all" not in page


def test_a_detail_stands_on_the_page_alone() -> None:
    blocks = (block.model_copy(update={"detail": True}) for block in (SENTENCE, TABLE))
    run = run_with(*blocks)
    assert SENTENCE.text not in run_text(run) and TABLE.caption not in run_text(run)
    assert SENTENCE.text in render(run) and TABLE.caption in render(run)


def test_a_chart_without_a_point_is_left_out() -> None:
    for lines in ((), CHART.lines[1:]):
        page = render(run_with(CHART.model_copy(update={"lines": lines})))
        assert "Time over size" not in Reader(page).text


BARS = TableBlock(
    title="Parts",
    caption="Each beside its budget.",
    columns=("part", "time", "share", "as a bar", "why"),
    rows=(
        ("first", "1.000 s", "50%", Bar(share=0.5, halved=True), "it waits"),
        ("second", "4.000 s", "200%", Bar(share=2), "it is slow"),
        ("whole", "5.000 s", "", "", ""),
    ),
    words=1,
    last_words=1,
    terminal=Excerpt(
        title="The slowest",
        caption="All are on the page.",
        columns=(0, 3, 4),
        headings=("part", "in 16", "why"),
        rows=2,
    ),
)


def test_the_terminal_prints_the_excerpt_of_a_table() -> None:
    lines = [line.rstrip() for line in run_text(run_with(BARS)).splitlines()]
    start = lines.index("The slowest")
    assert lines[start - 1 : start + 6] == [
        "",
        "The slowest",
        "part                 in 16   why",
        "───────────────────────────────────────",
        "first    ████████│········   it waits",
        "second    ████████████████   it is slow",
        "All are on the page.",
    ]


def test_an_excerpt_without_columns_is_its_lines() -> None:
    lines = run_with(BARS.model_copy(update={"terminal": Excerpt(caption="No table.", columns=())}))
    text = run_text(lines)
    assert "\n\nNo table.\n" in text and "it waits" not in text


def test_an_excerpt_is_of_columns_that_the_table_has() -> None:
    for wrong in (
        {"columns": (-1,)},
        {"columns": (5,)},
        {"columns": (0, 1), "headings": ("part",)},
        {"headings": ("part",)},
    ):
        with pytest.raises(ValidationError, match="an excerpt has"):
            TableBlock.model_validate({**BARS.model_dump(), "terminal": wrong})


def test_the_page_has_the_whole_table_and_draws_bars() -> None:
    page = render(run_with(BARS))
    assert 'aria-label="as a bar"></th>' in page and page.count('<rect width="48"') == 1
    assert page.count('<rect width="96"') == 1 and page.count('d="M48 0V10"') == 1
    assert '<td class="number">5.000 s</td>' in page and "<td>it is slow</td>" in page
    assert BARS.caption in page and "The slowest" not in page


def test_the_page_sets_a_title_and_marks_a_warning() -> None:
    text = "One.\nTwo <b>."
    page = render(run_with(SentenceBlock(text=text, title="Two lines", warning=True)))
    assert "<h2>Two lines</h2>" in page
    assert '<p class="warning">One.</p>' in page and '<p class="warning">Two &lt;b&gt;.</p>' in page


def test_a_chart_has_its_bands() -> None:
    bands = [ChartBand(low=low, high=3000, label="needed") for low in (1500, 0, 3000)]
    page = render(run_with(CHART.model_copy(update={"bands": tuple(bands)})))
    assert page.count('class="band"') == 2 and "needed" in Reader(page).text
