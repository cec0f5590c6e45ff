# SPDX-License-Identifier: Apache-2.0
"""What the x86 parts take for instructions, beside the clock counts of Intel's manuals."""

from collections.abc import Callable, Sequence

import pytest

from tests.support.variants import variant_of

from .conftest import Drive

BOARDS = {"pentium": "settop-web", "486": "converter"}
FDIV, FSQRT, FSTP, INC, XCHG = "d8f1", "d9fa", "dd5b08", "47", "91"
# What a part takes for instructions, and what of it later turns of the first do not.
Take = Callable[..., tuple[float, float]]
# When each begins.
Begin = Callable[..., list[float]]
Run = Callable[[str, Sequence[str]], list[list[float]]]


@pytest.fixture(scope="session")
def run(drive: Drive) -> Run:
    """Cycles of a part for a block of instructions, in hexadecimal: see the harness."""
    texts = {part: variant_of(board, detail="timed").timing for part, board in BOARDS.items()}

    def run_on(part: str, instructions: Sequence[str]) -> list[list[float]]:
        text = texts[part]
        assert text is not None
        said = drive("x86", text, instructions)
        return [[number / 1000 for number in line] for line in said]

    return run_on


@pytest.fixture(scope="session")
def take(run: Run) -> Take:
    def take_on(part: str, *instructions: str) -> tuple[float, float]:
        end, once = run(part, instructions)[-1]
        return end, once

    return take_on


@pytest.fixture(scope="session")
def begin(run: Run) -> Begin:
    return lambda part, *instructions: [begins for (begins,) in run(part, instructions)[:-1]]


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


def test_a_string_instruction_does_not_wait_for_the_pointers_of_one_before(take: Take) -> None:
    for string in ("a5", "ab", "ad", "a7"):
        for part in BOARDS:
            assert take(part, string, string)[0] == 2 * take(part, string)[0]


@pytest.mark.parametrize(
    ("instruction", "pentium", "i486"),
    [
        ("f3a5", (13, 1), (12, 3)),  # MOVS
        ("f3ab", (9, 1), (7, 4)),  # STOS
        ("f3ad", (7, 3), (7, 4)),  # LODS
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


@pytest.mark.parametrize("instruction", ["f3a7", "f2af"])  # CMPS: on a 486 7 + 7n; SCAS: 7 + 5n
def test_a_comparison_ends_by_what_it_finds(take: Take, instruction: str) -> None:
    for part, base, each in (("pentium", 9, 4), ("486", 7, 6)):
        first, once = take(part, instruction)
        assert (first, first - once) == (base + each, each)


def test_integers_go_on_beside_a_quotient(take: Take, begin: Begin) -> None:
    for divide, pentium, i486 in ((FDIV, (37, 39), (73, 73)), (FSQRT, (68, 70), (85, 85))):
        assert begin("pentium", divide, INC, FSTP)[1:] == [1, pentium[1]]
        assert begin("486", divide, INC, FSTP)[1:] == [3, i486[1]]
        assert begin("pentium", divide, divide)[1] == pentium[1]
        assert take("pentium", divide)[0] == pentium[0]
        assert take("486", divide, INC)[0] == i486[0]


def test_the_unit_of_a_486_does_one_thing_at_a_time(begin: Begin) -> None:
    assert begin("486", "dcfa", "dcc3")[1] == 73  # of st(2) by st(0), and to st(3)
    assert begin("486", "dcca", "dcc3")[1] == 16


def test_a_pentium_begins_a_product_every_two_cycles(begin: Begin) -> None:
    assert begin("pentium", "dcca", "dccb", "dcc4") == [0, 2, 3]


def test_a_result_is_waited_for_where_it_lies_after_a_push_or_pop(begin: Begin) -> None:
    # FLD to st(0), and FADD of st(1), which is the quotient.
    assert begin("pentium", FDIV, "d903", "d8c1") == [0, 1, 39]
    # The quotient in st(2) is in st(1) after FSTP of st(0).
    assert begin("pentium", "dcfa", FSTP, "d8c1") == [0, 1, 39]


def test_a_load_waits_for_the_last_cycle_of_a_change_of_memory(take: Take, begin: Begin) -> None:
    # MOV, AND and AND to memory, none of which waits for the others' registers.
    move, and_from, and_to = "8b5604", "235604", "215604"
    change = "2106"
    for second, cycles in ((move, 3), (and_from, 4), (and_to, 5)):
        assert begin("pentium", change, second) == [0, 2]
        assert take("pentium", change, second)[0] == cycles
    for first in (move, and_from):
        assert begin("pentium", first, change) == [0, 0]
        assert take("pentium", first, change)[0] == 3
    # One that only stores, or has no operand in memory, begins with it.
    for second in ("895604", INC):
        assert begin("pentium", change, second) == [0, 0]


@pytest.mark.parametrize(
    ("instruction", "pentium", "i486"),
    [
        ("db1b", 6, 31),  # FISTP: 28 to 34 on a 486
        ("d92b", 7, 4),  # FLDCW
        ("db03", 1, 10),  # FILD: 9 to 12 on a 486
    ],
)
def test_conversions_and_control_words_take_their_own_time(
    take: Take, instruction: str, pentium: float, i486: float
) -> None:
    assert (take("pentium", instruction)[0], take("486", instruction)[0]) == (pentium, i486)


# What they take of the core; a taken branch's cycles are the predictor's.
SINGLE = [
    ("0fa4ca03", 4, 3),  # SHLD by a constant: 2 on a 486
    ("0facca03", 4, 3),  # SHRD
    ("0fc9", 1, 1),  # BSWAP
    ("0f94c1", 1, 3.5),  # SETE of a register: 3 or 4 on a 486
    ("0f9406", 1, 3.5),  # and of memory: 2 on a Pentium
    ("ff36", 2, 4),  # PUSH of memory
    ("50", 1, 1),  # PUSH of a register
    ("ffd1", 2, 3),  # CALL by a register: 5 with the branch on a 486
    ("ff16", 2, 3),  # by memory
    ("e800000000", 1, 1),  # CALL: 3 with the branch on a 486
]


@pytest.mark.parametrize(("instruction", "pentium", "i486"), SINGLE)
def test_an_instruction_takes_what_the_manuals_count(
    take: Take, instruction: str, pentium: float, i486: float
) -> None:
    # An XCHG before it, of three cycles, within which its 0F is decoded.
    assert take("pentium", XCHG, instruction)[0] - take("pentium", XCHG)[0] == pentium
    assert take("486", XCHG, instruction)[0] - take("486", XCHG)[0] == i486


def test_a_prefix_takes_a_cycle_to_decode(take: Take) -> None:
    for part in BOARDS:
        assert take(part, "89d8")[0] == 1
        assert take(part, "6689d8")[0] == 2
        assert take(part, "658b06")[0] == 2
        assert take(part, "65668b06")[0] == 3
        assert take(part, INC, "6689d8")[0] == 3
        # While what is before it runs, or waits.
        assert take(part, XCHG, "6689d8")[0] == 4
        assert take(part, "bb00000000", "8b03", "6689d6")[0] == 4


def test_0f_is_a_prefix_to_a_pentium_unless_of_a_jump(take: Take) -> None:
    assert [take(part, "0fc9")[0] for part in BOARDS] == [2, 1]
    assert [take(part, "0f8500000000")[0] for part in BOARDS] == [1, 1]


def test_the_prefix_that_repeats_is_in_what_repeating_takes(take: Take) -> None:
    for part, base, each in (("pentium", 13, 1), ("486", 12, 3)):
        first, once = take(part, "66f3a5")
        assert (first, first - once) == (base + 1, each)


def test_an_index_takes_a_486_a_cycle(take: Take) -> None:
    # MOV EAX by [EBX], [EBX+ECX], [ECX*4+constant]; LEA by two registers; [ESP] has no index.
    base, two, scaled, lea, stack = "8b03", "8b040b", "8b048d00100000", "8d040b", "8b0424"
    assert take("486", base)[0] == take("486", stack)[0] == 1
    assert take("486", two)[0] == take("486", scaled)[0] == take("486", lea)[0] == 2
    assert take("pentium", two)[0] == take("pentium", base)[0]
    # Of 16 bits, [BX+SI] and [SI].
    assert take("486", "678b00")[0] == take("486", "678b04")[0] + 1


@pytest.mark.parametrize(
    ("instruction", "cycles"),
    [
        ("6bc300", 13),  # IMUL EAX, EBX, 0
        ("6bc301", 13),
        ("6bc3f8", 13),  # -8
        ("6bc309", 14),
        ("6bc37f", 17),
        ("6bc380", 17),  # -128
        ("69c3d52c0000", 24),  # 11477, a constant of libjpeg's transform: 14 bits
        ("69c32bd3ffff", 24),  # and its negative
        ("6669c3d52c", 25),  # of 16 bits: the prefix
        ("69c3ffffff7f", 41),
        ("69c300000080", 41),
        ("0fafc3", 18),  # by a register, whose value is not known
    ],
)
def test_a_product_by_a_constant_takes_a_486_a_cycle_for_each_of_its_bits(
    take: Take, instruction: str, cycles: float
) -> None:
    assert take("486", instruction)[0] == cycles
    assert take("pentium", instruction)[0] in (10, 11)
