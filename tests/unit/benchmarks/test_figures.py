# SPDX-License-Identifier: Apache-2.0
"""The figures of the pages: each has a command, and only its text is replaced."""

import json
from pathlib import Path

import figures
import pytest
from figure_pages import (
    Figure,
    MeasuredBy,
    changes,
    places_in,
    read_pages,
    replaced,
    text_of,
    unknown_or_unused,
)
from hypothesis import given
from hypothesis import strategies as st

_PAGE = """\
A boot takes <!--=boot.total-->1.318 s<!--=-->, of it <!--=boot.kernel-->0.9 s<!--=--> the kernel's.

<!--=boot.table-->

    row   1.3 s

<!--=-->

A figure stands between `<!--=name-->` and `<!--=-->`.
"""
_WORDS = st.text(st.characters(exclude_characters="<`"))
_TEXTS = st.fixed_dictionaries(
    {},
    optional={
        "boot.total": _WORDS,
        "boot.kernel": _WORDS,
        "boot.table": _WORDS.map(lambda text: f"\n{text}\n"),
    },
)


def texts_in(page: str) -> dict[str, str]:
    return {place.name: page[place.start : place.end] for place in places_in(page)}


def output(*metrics: tuple[str, dict[str, str], str, list[float]]) -> str:
    keys = ("name", "labels", "unit", "samples")
    return json.dumps({"metrics": [dict(zip(keys, one, strict=True)) for one in metrics]})


def test_each_figure_of_the_pages_has_a_command_and_stands_somewhere() -> None:
    known = figures.figures_of(figures.read_table(figures.TABLE.read_text()))
    assert not [*unknown_or_unused(read_pages(figures.ROOT), set(known))]


def test_each_command_takes_only_runs_that_are_there() -> None:
    table = figures.read_table(figures.TABLE.read_text())
    order = figures.needed(table, set(figures.figures_of(table)))
    assert sorted(order) == sorted(table)


def test_a_page_has_its_figures_in_order() -> None:
    assert [*texts_in(_PAGE).items()] == [
        ("boot.total", "1.318 s"),
        ("boot.kernel", "0.9 s"),
        ("boot.table", "\n\n    row   1.3 s\n\n"),
    ]


@given(_TEXTS)
def test_only_the_texts_of_figures_are_replaced(texts: dict[str, str]) -> None:
    page = replaced(_PAGE, texts)
    assert texts_in(page) == texts_in(_PAGE) | texts
    assert replaced(page, texts_in(_PAGE)) == _PAGE


@given(st.text(), st.text())
def test_the_same_text_changes_nothing(before: str, after: str) -> None:
    page = f"{before}\n{_PAGE}{after}"
    try:
        texts = texts_in(page)
    except ValueError:
        return
    assert replaced(page, texts) == page


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("it is <!--=a-->1 s", 'line 1: "a" has no end'),
        ("\nit is <!--=a-->1<!--=b-->2<!--=-->", 'line 2: "b" begins within "a"'),
        ("it is 1 s<!--=-->", "line 1: <!--=--> ends no figure"),
        ("it is\n<!--=a-->1 s<!--=--> long", 'line 2: move a word before "a"'),
        ("- <!--=a-->1 s<!--=--> long", 'line 1: move a word before "a"'),
    ],
)
def test_a_comment_that_is_out_of_place_is_refused(page: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        [*places_in(page)]
    assert str(refused.value).startswith(message)
    assert [*unknown_or_unused({"docs/a.md": page}, set())] == [f"docs/a.md: {refused.value}"]


def test_figures_that_table_or_pages_lack_are_named() -> None:
    pages = {"a.md": "\nit is <!--=x.y-->1<!--=-->"}
    assert [*unknown_or_unused(pages, {"x.z"})] == [
        'a.md: line 2: no command gives "x.y"',
        'figures.toml: "x.z" stands in no page',
    ]


def test_a_metric_is_written_as_reports_write_it() -> None:
    printed = output(("boot.total", {}, "s", [0.9793, 0.9791, 0.9795]))
    assert text_of(Figure(metric="boot.total"), printed) == "979.3 ms"


def test_a_number_is_in_the_unit_of_its_table() -> None:
    printed = output(("disk.read", {}, "B/s", [21_749_000.0]))
    assert text_of(Figure(metric="disk.read", number="MB/s"), printed) == "21.7"
    assert text_of(Figure(metric="disk.read", number="kB/s", digits=0), printed) == "21,749"
    with pytest.raises(ValueError, match="ms is no unit of B/s"):
        text_of(Figure(metric="disk.read", number="ms"), printed)


def test_labels_choose_one_of_several_metrics() -> None:
    printed = output(("load", {"cache": "first"}, "s", [1.0]), ("load", {}, "s", [2.0]))
    assert text_of(Figure(metric="load", labels={"cache": "first"}), printed) == "1.000 s"
    assert text_of(Figure(metric="load"), printed) == "2.000 s"
    with pytest.raises(
        ValueError, match=r"load \{'cache': 'none'\}: the output has 0 such metrics"
    ):
        text_of(Figure(metric="load", labels={"cache": "none"}), printed)
    with pytest.raises(ValueError, match="load: the output has 2 such metrics"):
        text_of(Figure(metric="load"), output(*[("load", {}, "s", [1.0])] * 2))
    with pytest.raises(ValueError, match="load has no sample"):
        text_of(Figure(metric="load"), output(("load", {}, "s", [])))


def test_the_metric_of_a_comparison_is_its_change() -> None:
    printed = json.dumps({"changes": [{"name": "boot.total", "unit": "s", "difference": -0.4959}]})
    assert text_of(Figure(metric="boot.total"), printed) == "495.9 ms"


def test_a_path_leads_to_a_value() -> None:
    printed = json.dumps({"steps": [{"change": 0.4959}]})
    assert text_of(Figure(path="steps.0.change", unit="s"), printed) == "495.9 ms"
    for path in ("steps.1.change", "steps.x", "steps.0.change.a"):
        with pytest.raises(ValueError, match="is not there"):
            text_of(Figure(path=path), printed)
    with pytest.raises(ValueError, match="steps is no number"):
        text_of(Figure(path="steps"), printed)


def test_lines_become_a_block_of_code() -> None:
    figure = Figure(lines=("row", "up:"))
    assert text_of(figure, "FAIL\n\nrow  is\n\nup   1\n\nup: it is") == (
        "\n\n    row  is\n\n    up   1\n\n"
    )
    with pytest.raises(ValueError, match='no line begins with "row"'):
        text_of(figure, "up: it is")
    with pytest.raises(ValueError, match='no line after it begins with "up:"'):
        text_of(figure, "up: it is\nrow")


@pytest.mark.parametrize("keys", [{}, {"metric": "a", "path": "b"}])
def test_a_figure_is_one_thing(keys: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="give one of metric, path and lines"):
        Figure.model_validate(keys)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1.000 s", "1.000 s", ""),
        ("1.000 s", "1.100 s", "a: 1.000 s -> 1.100 s (+10.00%)"),
        ("1.000 s", "900.0 ms", "a: 1.000 s -> 900.0 ms (-10.00%)"),
        ("5,000", "4,950", "a: 5,000 -> 4,950 (-1.00%)"),
        ("", "1 s", "a: nothing -> 1 s"),
        ("\n\n    a 1\n    b\n\n", "\n\n    a 2\n    b\n\n", "a:\n-    a 1\n+    a 2"),
    ],
)
def test_a_change_says_by_how_much(old: str, new: str, words: str) -> None:
    assert changes("a", old, new) == words


def test_figures_are_chosen_by_pattern_or_page() -> None:
    pages = {"docs/boards/disk.md": "at <!--=disk.read-->1<!--=-->", "README.md": ""}
    known = {"disk.read", "boot.total", "boot.kernel"}
    assert figures.chosen(pages, known, []) == known
    assert figures.chosen(pages, known, ["boot.*"]) == {"boot.total", "boot.kernel"}
    for page in ("disk.md", "docs/boards/disk.md"):
        assert figures.chosen(pages, known, [page]) == {"disk.read"}
    for word in ("boots", "README.md"):
        with pytest.raises(ValueError, match=f'"{word}" is neither'):
            figures.chosen(pages, known, [word])


def test_a_command_runs_after_those_whose_runs_it_reads() -> None:
    table = {
        "text": MeasuredBy(command="show {run}", figures={"a": Figure(lines=("a", "b"))}),
        "run": MeasuredBy(command="study boot --json"),
        "other": MeasuredBy(command="boards --json", figures={"b": Figure(path="b")}),
    }
    assert figures.needed(table, {"text.a"}) == ["run", "text"]
    assert figures.needed(table, {"text.a", "other.b"}) == ["other", "run", "text"]


def test_a_figure_that_cannot_be_measured_does_not_keep_others_from_it(tmp_path: Path) -> None:
    (tmp_path / "boards.out").write_text(output(("a", {}, "s", [1.0])))
    table = {
        "boards": MeasuredBy(
            command="boards --json", figures={"a": Figure(metric="a"), "b": Figure(metric="b")}
        ),
        "no": MeasuredBy(command="study no-such-study --json"),
        "text": MeasuredBy(command="show {no}", figures={"a": Figure(lines=("a", "b"))}),
    }
    texts, problems = figures.measure(
        table, {"boards.a", "boards.b", "text.a"}, figures.Commands(tmp_path)
    )
    assert texts == {"boards.a": "1.000 s"}
    assert [problem.partition(": ")[0] for problem in problems] == ["boards.b", "no", "text"]
