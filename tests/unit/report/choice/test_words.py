# SPDX-License-Identifier: Apache-2.0
"""The answer of a choice, in the terminal and on the page."""

import re

from perfboard.analysis.choice.answer import Candidate, Choice, choice_of
from perfboard.model.results.profile import OptionRow
from perfboard.report.choice.page import render_choice
from perfboard.report.choice.text import choice_text
from perfboard.report.choice.words import answer, options, price_words, why
from tests.support.candidates import candidate, row

TURNED = OptionRow(name="fast", title="a faster card", cost=4, outcome="pass", turns=("start",))
BOARDS = [
    candidate("rpi2", row("pass"), row("pass", "free"), price=35, probability=0.97),
    candidate("opi", row("pass"), row("pass", "free"), price=38, probability=0.91),
    candidate("slow", row("fail"), row("pass", "free"), price=9, probability=0, options=(TURNED,)),
    candidate(
        "bare",
        row("fail", value=None, reason="board bare has no Ethernet: its network is Wi-Fi"),
        row("not measured", "free", reason="not needed, since start fails; --all-rows measures it"),
        price=10,
        price_currency="$",
    ),
    Candidate("gone", problem="there is no room at /home/somebody/.cache/perfboard"),
]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _choice() -> Choice:
    return choice_of(BOARDS)


def test_the_answer_names_the_cheapest_and_the_next() -> None:
    assert answer(_choice()) == (
        "rpi2, at 35 EUR, is the cheapest board that is right for box (a box of pictures): the "
        "chance that it keeps all budgets is 97 in 100. The next is opi, at 38 EUR, with 91 in "
        "100."
    )
    assert answer(choice_of(BOARDS[2:])).startswith("No board is known to be right for box (a box")


def test_each_other_board_says_why_it_is_not() -> None:
    choice = _choice()
    said = {each.board: why(each, choice) for each in choice.all}
    assert said["slow"] == "start fails: 4.000 s \N{PLUS-MINUS SIGN}10%, at most 2 s"
    # What was not measured since another row fails is no reason.
    assert said["bare"] == "start fails: board bare has no Ethernet: its network is Wi-Fi"
    assert said["gone"].startswith("not measured: there is no room")
    assert options(choice) == ["With a faster card (+4 EUR) slow passes, for 13 EUR."]
    bare = next(each for each in choice.all if each.board == "bare")
    assert price_words(bare) == "$10"


def test_the_text_has_the_answer_first_and_fits() -> None:
    choice = choice_of([*BOARDS, candidate("many", *(row("pass", f"row-{n}") for n in range(9)))])
    text = choice_text(choice)
    assert max(map(len, text.splitlines())) <= 80
    assert _one_line(text).startswith("rpi2, at 35 EUR, is the cheapest")
    figures = re.findall(r"^(slow +.*\N{BALLOT X} 4\.000 s \N{PLUS-MINUS SIGN}10%.*)$", text, re.M)
    assert len(figures) == 1
    for number in range(9):
        assert f"row-{number}" in text


def test_the_page_has_a_mark_and_a_report_for_each_board() -> None:
    page = render_choice(_choice())
    assert "rpi2, at 35 EUR, is the cheapest" in page
    assert page.count("<circle") == 2 * 3
    assert 'href="../20261121-091500-profile-rpi2-3f2a/report.html"' in page
    # A path of this machine names nobody.
    assert "/home/somebody" not in page and "there is no room at" in page
    assert "<script" not in page


def test_the_words_of_a_board_are_untrusted() -> None:
    page = render_choice(choice_of([Candidate("<b>x", problem="<script>alert(1)</script>")]))
    assert "<script" not in page and "<b>x" not in page
