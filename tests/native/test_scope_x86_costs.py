# SPDX-License-Identifier: Apache-2.0
"""What the x86 parts take for instructions, beside the clock counts of Intel's manuals."""

from collections.abc import Callable

import pytest

from perfboard.boards.loader import load_board
from perfboard.boards.timing import DETAIL, timing_text

from .conftest import Drive

BOARDS = {"pentium": "settop-web", "486": "converter"}
# Begins with instructions; what they take, and what of it later turns of the first do not.
Take = Callable[..., tuple[float, float]]


@pytest.fixture(scope="session")
def take(drive: Drive) -> Take:
    """Cycles of a part for a block of such instructions, in hexadecimal."""
    texts = {
        part: timing_text(load_board(board).board, {DETAIL: "timed"})
        for part, board in BOARDS.items()
    }

    def run(part: str, *instructions: str) -> tuple[float, float]:
        text = texts[part]
        assert text is not None
        end, once = drive("x86", text, instructions)[-1]
        return end / 1000, once / 1000

    return run


@pytest.mark.parametrize(
    ("instruction", "pentium", "i486"),
    [
        ("a5", 4, 7),  # MOVS
        ("ab", 3, 5),  # STOS
        ("ad", 2, 5),  # LODS
        ("a7", 5, 7),  # CMPS: 5 and 8
        ("af", 5, 7),  # SCAS: 4 and 6
    ],
)
def test_a_string_instruction_alone_pays_for_no_repetition(
    take: Take, instruction: str, pentium: float, i486: float
) -> None:
    assert take("pentium", instruction)[0] == pentium
    assert take("486", instruction)[0] == i486


@pytest.mark.parametrize(
    ("instruction", "pentium", "i486"),
    [
        ("f3a5", (13, 1), (12, 3)),  # MOVS
        ("f3ab", (9, 1), (7, 4)),  # STOS
        ("f3ad", (7, 3), (7, 4)),  # LODS
        ("f3a7", (9, 4), (7, 6)),  # CMPS: on a 486 7 + 7n
        ("f2af", (9, 4), (7, 6)),  # SCAS: on a 486 7 + 5n
    ],
)
def test_a_repeated_one_pays_once_and_for_each_element(
    take: Take, instruction: str, pentium: tuple[int, int], i486: tuple[int, int]
) -> None:
    for part, (base, each) in (("pentium", pentium), ("486", i486)):
        first, once = take(part, instruction)
        # The emulator has a turn for each element, and one that finds none left.
        assert [first + turns * (first - once) for turns in (0, 1, 9)] == [
            base + elements * each for elements in (0, 1, 9)
        ]
