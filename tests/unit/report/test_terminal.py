# SPDX-License-Identifier: Apache-2.0
"""Tables in a terminal: what may be typed stays whole at any width."""

from hypothesis import given
from hypothesis import strategies as st

from perfboard.report.terminal import cells, list_table, new_table, pair_table, render

WORDS = st.text("abcdefgh-._/", min_size=1, max_size=40)
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
ROWS = st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=4)


@given(ROWS, st.integers(20, 120))
def test_no_word_of_the_first_column_is_cut(rows: list[tuple[str, str]], width: int) -> None:
    table = new_table("metric", "what", words=(0, 1))
    for row in rows:
        table.add_row(*cells(*row))
    for each in (table, list_table(("run", "tags"), rows), pair_table(rows)):
        words = {*render([each], width).split()}
        assert all({*name.split()} <= words for name, _ in rows)


def test_a_table_whose_words_have_room_keeps_the_width() -> None:
    table = new_table("metric", "what", words=(0, 1))
    table.add_row(*cells("of_platform_default_populate_init", "one word after the other " * 9))
    lines = render([table]).splitlines()
    assert max(map(len, lines)) <= 80 and len(lines) > 3
