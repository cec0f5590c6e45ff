# SPDX-License-Identifier: Apache-2.0
"""What a block of code has of the one before: results to wait for, half a cycle to begin in."""

from .conftest import Drive, table

# A register is a bit; those of early are among those that are read.
LOADS = table("core", carries="true") + "cost load 1000 3000\ncost multiply 2000 4000\n"


def waits(drive: Drive, file: str, *blocks: str) -> list[int]:
    """How much later each block begins, in thousandths of a cycle."""
    lines = [line for block in blocks for line in block.split(", ")]
    return [wait for wait, _ in drive("carry", file, lines)]


def test_a_result_is_waited_for_in_the_next_block(drive: Drive) -> None:
    load = "load 1 2 0 0, end 0 0 0 0"
    assert waits(drive, LOADS, load, "alu 2 4 0 0, end 0 0 0 0") == [0, 2000]
    # As much less as the block has to do before, or the branch took.
    later = "alu 1 8 0 0, alu 2 4 0 0, end 0 0 0 0"
    assert waits(drive, LOADS, load, later) == [0, 1000]
    assert waits(drive, LOADS, load, "alu 2 4 0 0, end 0 0 0 500000") == [0, 1500]
    assert waits(drive, LOADS, load, "alu 2 4 0 0, end 0 0 0 5000000") == [0, 0]
    # Neither another register nor one that is written first.
    assert waits(drive, LOADS, load, "alu 1 4 0 0, end 0 0 0 0") == [0, 0]
    assert waits(drive, LOADS, load, "alu 1 2 0 0, alu 2 4 0 0, end 0 0 0 0") == [0, 0]
    # An address is wanted earlier.
    early = table("core", early=1000)
    assert waits(drive, LOADS + early, load, "load 2 4 0 2, end 0 0 0 0") == [0, 3000]
    # So is a factor.
    multiplied = table("core", multiplied=2000)
    assert waits(drive, LOADS + multiplied, load, "multiply 2 4 0 0, end 0 0 0 0") == [0, 4000]


def test_a_sum_that_a_loop_adds_to_is_waited_for_at_each_turn(drive: Drive) -> None:
    file = table("core", carries="true") + "cost multiply 1000 8000\n"
    turn = "multiply 7 1 1 0, end 0 0 0 0"
    assert waits(drive, file, turn, turn, turn) == [0, 7000, 7000]
    assert waits(drive, file + "accumulate multiply 4000\n", turn, turn, turn) == [0, 3000, 3000]


def test_a_result_may_come_after_the_next_block(drive: Drive) -> None:
    file = table("core", carries="true") + "cost fp_divide 1000 9000\n"
    divide, other = "fp_divide 1 2 0 0, end 0 0 0 0", "alu 1 4 0 0, end 0 0 0 0"
    uses = "alu 2 8 0 0, end 0 0 0 0"
    assert waits(drive, file, divide, other, other, uses, uses) == [0, 0, 0, 6000, 0]
    # Not where it is written anew meanwhile.
    anew = "alu 1 2 0 0, end 0 0 0 0"
    assert waits(drive, file, divide, other, anew, uses) == [0, 0, 0, 0]


def test_what_follows_a_branch_that_was_not_taken_may_begin_beside_it(drive: Drive) -> None:
    file = table("core", issue=2, carries="true") + "pair branch alu\npair alu alu\n"
    branch, follows = "branch 1 0 0 0, end 0 0 0 0", "alu 1 2 0 0, end 0 0 1 0"
    assert waits(drive, file, branch, follows) == [0, -1000]
    # Not at another place, nor after a misprediction, nor where it goes with its own next.
    assert waits(drive, file, branch, "alu 1 2 0 0, end 0 0 0 0") == [0, 0]
    assert waits(drive, file, branch, "alu 1 2 0 0, end 0 0 1 700000") == [0, 0]
    pair = "alu 1 2 0 0, alu 1 4 0 0, end 0 0 1 0"
    assert waits(drive, file, branch, pair) == [0, 0]
    # Nor where the branch went beside what is before it.
    beside = f"alu 1 4 0 0, {branch}"
    assert waits(drive, file + "pair alu branch\n", beside, follows) == [0, 0]


def test_without_it_a_block_begins_as_if_it_were_the_first(drive: Drive) -> None:
    file = "cost load 1000 3000\n"
    assert waits(drive, file, "load 1 2 0 0, end 0 0 0 0", "alu 2 4 0 0, end 0 0 0 0") == [0, 0]


def test_a_store_wants_its_data_later_than_its_address(drive: Drive) -> None:
    file = table("core", issue=2, early=1000) + "pair alu store\npair load store\n"
    file += "cost load 1000 2000\ncost store 1000 1000\n"
    stored = table("core", stored=1000)
    # A sum may be stored in its own cycle, what was loaded in the next one.
    for more, of_sum, of_load in (("", 1000, 2000), (stored, 0, 1000)):
        lines = ["alu 1 2", "store 2 0"]
        assert drive("core", file + more, lines)[1] == [of_sum]
        assert drive("core", file + more, ["load 1 2", "store 2 0"])[1] == [of_load]


def test_flags_of_floating_point_come_with_its_result(drive: Drive) -> None:
    file = "cost fp_move 1000 4000\n"
    flags = str(1 << 63)
    assert drive("core", file, [f"fp_move 1 {flags}", f"branch {flags} 0"])[1] == [3000]


def test_a_store_of_the_next_block_waits_for_what_is_not_forwarded(drive: Drive) -> None:
    file = table("core", carries="true", unforwarded=1000) + "cost fp_add 1000 8000\n"
    one, other = 1 << 32, 1 << 33
    add = f"fp_add {other} {one} 0 0, end 0 0 0 0"
    assert waits(drive, file, add, f"fp_add {one} {other} 0 0, end 0 0 0 0") == [0, 7000]
    assert waits(drive, file, add, f"fp_store {one | 1} 0 0 0, end 0 0 0 0") == [0, 8000]
