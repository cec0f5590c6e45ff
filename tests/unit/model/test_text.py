# SPDX-License-Identifier: Apache-2.0
"""No text of a board, a file or a target commands the terminal that it is shown in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.model.run import Run
from perfboard.model.text import nearest, printable
from tests.support.runs import make_run


@given(st.text())
def test_what_is_left_prints_or_parts_lines_and_columns(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert all(c.isprintable() or c in "\n\t" for c in shown)
    assert all(a in (b, "?") for a, b in zip(shown, text, strict=True))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_record_has_no_control_characters_and_says_the_same(text: str) -> None:
    run = make_run(target=f"\x1b\x7f\x9b\u202e\u2066\U000e0041{text}")
    assert all(c.isprintable() or c == "\n" for c in run.to_json())
    assert Run.model_validate_json(run.to_json()) == run


def test_words_stay_and_escapes_go() -> None:
    assert printable("für 10 µs:\n\tok") == "für 10 µs:\n\tok"
    assert printable("\x1b[31m\x9b\u202e\r\ud800") == "?[31m????"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("verdx", '; did you mean "verdex"?'),
        # Another board, or another size, is no slip of the finger.
        ("rpi5", "."),
        ("rpi", "."),
        ("rpii2", '; did you mean "rpi2"?'),
        # Less alike than 0.7.
        ("vex", "."),
    ],
)
def test_what_is_near_is_asked_for(word: str, said: str) -> None:
    assert nearest(word, ["verdex", "rpi2", "rpi3"]) == said
