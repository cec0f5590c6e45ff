# SPDX-License-Identifier: Apache-2.0
"""The text of a verification: the answer, the chart, then each figure by its class."""

from dataclasses import replace

import pytest

from perfboard.boards.loader import list_boards, load_board
from perfboard.report.verification.text import verification_text
from perfboard.report.verification.words import answer
from tests.support.verifications import verification

TIMED = [name for name in list_boards() if load_board(name).board.timing]


@pytest.mark.parametrize("board", TIMED)
def test_each_board_fits_a_terminal_and_begins_with_the_answer(board: str) -> None:
    found = verification(board)
    text = verification_text(found)
    assert " ".join(text.split()).startswith(answer(found))
    # A name is never cut: "program.openssl.aes-256-cbc.16384" leaves five figures no room.
    assert max(map(len, text.splitlines())) <= 96
    for row in found.rows:
        assert f"] {row.published.source[:40]}" in " ".join(text.split())


def test_the_chart_stands_above_the_tables_and_rows_go_by_class() -> None:
    text = verification_text(verification("teres"))
    order = ["lie inside the margins", "All ratios", "] margin", "inside now", "parameter "]
    order += ["CORE", "CRYPTOGRAPHY", "FLOATING POINT", "MEMORY", "Runs state", "[1] ", "The runs"]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    chart = text[text.index("All ratios") : text.index(" checks the model")]
    assert sum(chart.count(mark) for mark in "●○+") == 30 + 1


def test_an_interruption_is_said_at_once() -> None:
    found = replace(verification("teres", dict.fromkeys(range(20, 30))), interrupted=True)
    text = " ".join(verification_text(found).split())
    assert text.index("Interrupted: 10 rows of 30 had not been measured.") < text.index(
        "All ratios"
    )
