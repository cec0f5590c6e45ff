# SPDX-License-Identifier: Apache-2.0
"""The timing model's core: branches and their prediction, results that are waited for, pairs."""

import pytest

from .conftest import Drive, table

TWO = table("core", issue=2)
BTB2 = {"penalty": 4000, "entries": 128, "predictor": "btb2"}


def test_a_loop_is_predicted_after_its_first_turn(drive: Drive) -> None:
    turn = "1 100 104 1 1 {} 0 40"
    lines = [turn.format(1)] * 9 + [turn.format(0)] + [turn.format(1)] * 2
    costs = [cost for (cost,) in drive("branch", table("branch", **BTB2, taken=500), lines)]
    assert costs == [4000, *[500] * 8, 4000, 500, 500]


def test_a_tight_loop_is_mispredicted_at_each_turn_where_the_part_does(drive: Drive) -> None:
    turn = "1 100 104 1 1 1 {} {}"
    file = table("branch", **BTB2, taken=500, tight="true")
    assert drive("branch", file, [turn.format(96, 96)] * 3) == [[4000]] * 3
    assert drive("branch", file, [turn.format(96, 40)] * 3) == [[4000], [500], [500]]
    plain = table("branch", **BTB2, taken=500)
    assert drive("branch", plain, [turn.format(96, 96)] * 3) == [[4000], [500], [500]]


def test_a_branch_that_was_fetched_meanwhile_costs_what_is_left(drive: Drive) -> None:
    turn = "1 100 104 1 1 1 0 40 {}"
    file = table("branch", **BTB2, taken=2000, fetch=8)
    turns = [turn.format(ahead) for ahead in (1500, 0, 500, 2000, 9000)]
    assert drive("branch", file, turns) == [[4000], [2000], [1500], [0], [0]]


GLOBAL = {"penalty": 4000, "predictor": "global", "taken": 500, "entries": 3072}


def test_a_loop_that_ends_after_as_many_turns_each_time_is_learnt(drive: Drive) -> None:
    turn = "1 100 104 1 1 {} 0 40"
    loops = ([turn.format(1)] * 3 + [turn.format(0)]) * 20

    def costs(**values: object) -> list[int]:
        return [cost for (cost,) in drive("branch", table("branch", **values), loops)]

    # Two-bit counters alone never foresee the end.
    assert costs(**BTB2, taken=500)[-8:] == [500, 500, 500, 4000] * 2
    assert costs(**GLOBAL, history=11)[-8:] == [500, 500, 500, 0] * 2
    # Three branches before show it, two do not.
    assert costs(**GLOBAL, history=3)[-4:] == [500, 500, 500, 0]
    assert 4000 in costs(**GLOBAL, history=2)[-4:]


def test_the_history_is_that_of_all_conditional_branches(drive: Drive) -> None:
    # Each second time taken, and one that goes as it does. A jump is none of them.
    turn = "1 100 104 1 1 {0} 0 40\n1 200 204 1 1 {0} 0 40\n0 300 304 0 0 1 0 40"
    lines = "\n".join(turn.format(number % 2) for number in range(40)).splitlines()
    costs = [cost for (cost,) in drive("branch", table("branch", **GLOBAL, history=1), lines)]
    assert costs[-6:] == [0, 0, 500, 500, 500, 500]


def test_a_place_in_a_register_is_taken_to_be_that_of_last_time(drive: Drive) -> None:
    file = table("branch", **GLOBAL, indirect="true", indirects=8)
    turns = [f"2 100 104 0 0 1 0 {target}" for target in (40, 40, 60, 60, 40)]
    assert drive("branch", file, turns) == [[4000], [500], [4000], [500], [4000]]
    # Another that shares its place among the eight.
    other = f"2 {100 + 8 * 8} 168 0 0 1 0 40"
    assert drive("branch", file, [turns[0], other, turns[1]]) == [[4000]] * 3


def test_a_direct_branch_is_found_where_it_stands(drive: Drive) -> None:
    file = table("branch", **GLOBAL, direct=9000, history=8)
    assert drive("branch", file, ["1 100 104 0 0 1 0 40"] * 2) == [[500], [500]]
    assert drive("branch", file + table("branch", targets=1), ["1 100 104 0 0 1 0 40"] * 2) == [
        [500],
        [0],
    ]


def test_what_follows_is_fetched_while_the_core_waits(drive: Drive) -> None:
    file = f"{TWO}pair alu alu\ncost load 1000 3000\n" + table(
        "branch", **BTB2, taken=2000, fetch=8
    )
    # Of three instructions, 12 bytes, that end after 5 cycles.
    assert drive("core", file, ["load 1 2", "alu 2 4", "alu 4 8"])[-1] == [5000, 3500]
    # Four that are begun by two take as long to fetch as to run.
    adding = [f"alu 1 {1 << number}" for number in range(1, 5)]
    assert drive("core", file, adding)[-1] == [2000, 0]
    # So do those that are begun faster than they are fetched.
    assert drive("core", file.replace("fetch 8", "fetch 4"), adding)[-1] == [2000, 0]


def test_a_kept_target_costs_nothing(drive: Drive) -> None:
    file = table("branch", **BTB2, taken=500, targets=2)
    one, other, third = (f"1 {place} {place + 4} 1 1 1 0 40" for place in (100, 112, 124))

    def costs(*lines: str) -> list[int]:
        return [cost for (cost,) in drive("branch", file, list(lines))]

    assert costs(one, one, one, other, other, other, one) == [4000, 500, 0, 4000, 500, 0, 0]
    # A third takes the place of the first.
    held = [one, one, other, other, third, third]
    assert costs(*held, other, third, one) == [4000, 500, 4000, 500, 4000, 500, 0, 0, 500]


def test_a_return_goes_where_the_call_was(drive: Drive) -> None:
    call, back = "3 100 104 0 0 1 0 40", "5 48 52 0 0 1 0 104"
    elsewhere = "5 48 52 0 0 1 0 200"
    table_alone = table("branch", penalty=9000, entries=16, predictor="btb2")
    with_stack = table_alone + table("branch", direct=2000, returns=4)
    assert drive("branch", with_stack, [call, back, call, elsewhere]) == [[2000], [0], [0], [9000]]
    assert drive("branch", table_alone, [back, back]) == [[9000], [9000]]
    indirect = table_alone + table("branch", indirect="true")
    assert drive("branch", indirect, [back, back]) == [[9000], [0]]


def test_a_return_that_the_stack_predicted_has_its_own_cost(drive: Drive) -> None:
    call, back = "3 100 104 0 0 1 0 40", "5 48 52 0 0 1 0 104"
    file = table("branch", **BTB2, taken=500, direct=2000, returns=4)
    turns = [call, back, call, f"{back} 1000"]
    # Without one it costs what any branch does that was predicted.
    assert drive("branch", file, turns) == [[2000], [500], [500], [0]]
    file += table("branch", returned=3000)
    said = drive("branch", file, turns)
    # What was fetched while the core waited is taken off it, too.
    assert said == [[2000], [3000], [500], [2000]]
    # The stack is empty.
    assert drive("branch", file, [back]) == [[4000]]


@pytest.mark.parametrize("flow", [2, 5, 6])
def test_a_place_that_comes_from_memory_is_waited_for_longer(drive: Drive, flow: int) -> None:
    file = table("branch", penalty=2000)
    turn = f"{flow} 100 104 0 0 {{}} 0 40 0 {{}}"
    turns = [turn.format(1, 0), turn.format(1, 1), turn.format(0, 1)]
    assert drive("branch", file + table("branch", loaded=4000), turns) == [[2000], [4000], [0]]
    assert drive("branch", file, turns) == [[2000], [2000], [0]]


def test_a_result_is_waited_for(drive: Drive) -> None:
    costs = "cost load 1000 3000\n"
    assert drive("core", costs, ["load 1 2", "alu 2 4", "alu 1 8"]) == [[0], [3000], [4000], [5000]]
    assert drive("core", costs, ["load 1 2", "alu 1 8"]) == [[0], [1000], [2000]]


def test_a_number_leaves_the_floating_point_unit_later_than_it_is_computed_with(
    drive: Drive,
) -> None:
    file = "cost fp_add 1000 8000\ncost fp_load 1000 4000\ncost fp_store 1000 1000\n"
    file += table("core", unforwarded=1000)
    one, other = 1 << 32, 1 << 33
    add, load = f"fp_add {other} {one}", f"fp_load 1 {one}"
    assert drive("core", file, [add, f"fp_add {one} {other}"])[1] == [8000]
    # To memory, and by a move to the core's registers, but not to others of the unit.
    assert drive("core", file, [add, f"fp_store {one | 1} 0"])[1] == [9000]
    assert drive("core", file, [add, f"fp_move {one} 2"])[1] == [9000]
    assert drive("core", file, [add, f"fp_move {one} {other}"])[1] == [8000]
    assert drive("core", file, [load, f"fp_store {one | 1} 0"])[1] == [5000]
    # One that was there before the block is not waited for, nor one of the core's.
    assert drive("core", file, [f"fp_store {one | 1} 0"])[0] == [0]
    assert drive("core", file, ["alu 1 2", f"fp_store {one | 2} 0"])[1] == [1000]


def test_a_product_is_added_to_a_sum_that_is_still_to_come(drive: Drive) -> None:
    file = "cost multiply 1000 3000\naccumulate multiply 1000\n"
    adding = "multiply 7 1 1"
    assert drive("core", file, [adding, adding, "alu 1 8"]) == [[0], [1000], [4000], [5000]]
    # As a factor it is waited for.
    assert drive("core", file, [adding, "multiply 3 1"])[:2] == [[0], [3000]]
    # What a load brought is waited for as anything is.
    load = "cost load 1000 5000\n"
    assert drive("core", file + load, ["load 0 1", adding])[:2] == [[0], [5000]]
    assert drive("core", "cost multiply 1000 3000\n", [adding] * 2)[:2] == [[0], [3000]]


def test_a_product_waits_longer_for_its_factors(drive: Drive) -> None:
    file = table("core", multiplied=2000) + "cost multiply 1000 2000\n"
    assert drive("core", file, ["alu 2 1", "multiply 1 4", "multiply 4 8", "alu 8 16"])[:-1] == [
        [0],
        [3000],
        [7000],
        [9000],
    ]
    # Neither for what has been there, nor for a sum that is handed on.
    assert drive("core", file, ["alu 2 1", "multiply 16 4"])[1] == [1000]
    summed = ["multiply 3 1", "multiply 7 1 1"]
    assert drive("core", file + "accumulate multiply 1000\n", summed)[1] == [1000]
    assert drive("core", file, summed)[1] == [4000]


def test_the_multiplier_and_the_divider_are_two_units(drive: Drive) -> None:
    file = "cost divide 1000 9000\nbusy divide 7000\ncost multiply 1000 3000\nbusy multiply 4000\n"
    lines = ["divide 1 2", "multiply 1 4", "multiply 1 8", "alu 1 16", "divide 1 32"]
    assert drive("core", file, lines) == [[0], [1000], [5000], [6000], [7000], [14000]]


def test_a_unit_that_is_busy_lets_the_rest_go_on(drive: Drive) -> None:
    file = "cost fp_divide 1000 9000\nbusy fp_divide 7000\n"
    divide = "fp_divide 1 2"
    said = drive("core", file, [divide, "alu 1 4", divide, "alu 1 8"])
    assert said == [[0], [1000], [7000], [8000], [14000]]
    # Its result is waited for longer than the unit is.
    assert drive("core", file, [divide, "alu 2 8"]) == [[0], [9000], [10000]]


def test_two_begin_together_where_the_file_says(drive: Drive) -> None:
    costs = f"{TWO}pair alu alu\n"
    assert drive("core", costs, ["alu 1 2", "alu 1 4", "alu 1 8"]) == [[0], [0], [1000], [2000]]
    # The second needs the first.
    assert drive("core", costs, ["alu 1 2", "alu 2 4"]) == [[0], [1000], [2000]]
    assert drive("core", TWO, ["alu 1 2", "alu 1 4"]) == [[0], [1000], [2000]]


def test_what_transfers_several_registers_pairs_in_its_last_cycle(drive: Drive) -> None:
    file = f"{TWO}cost load_pair 1000 2000\npair load_pair alu\npair alu alu\n"
    pair = "load_pair:2 16 3"
    assert drive("core", file, [pair, "alu 4 8", "alu 32 64"])[:-1] == [[0], [1000], [2000]]
    # What it brings is there later, and another pair goes by itself.
    assert drive("core", file, [pair, "alu 1 8", pair])[:-1] == [[0], [3000], [4000]]
    # One that takes a cycle has no other.
    assert drive("core", file, ["load_pair:1 16 3", "alu 4 8"])[1] == [0]


def test_a_class_that_is_not_named_is_what_it_is_like(drive: Drive) -> None:
    file = f"{TWO}pair load alu\npair alu load\ncost load 1000 3000\n"
    two = ["alu 1 2", "load_narrow 1 4", "load_narrow 1 8", "alu 1 16", "alu 4 32"]
    assert drive("core", file, two)[:-1] == [[0], [0], [1000], [1000], [3000]]
    # A pair alone names it, and it keeps the cost of what it is like.
    named = drive("core", f"{file}pair load_narrow branch\n", two)
    assert named[:-1] == [[0], [1000], [2000], [3000], [4000]]
    product = "cost multiply 1000 3000\nbusy multiply 2000\naccumulate multiply 2000\n"
    said = drive("core", product, ["multiply_half 7 1 1", "multiply_half 7 1 1", "alu 1 2"])
    assert said[:-1] == [[0], [2000], [5000]]


def test_a_round_of_aes_is_one_instruction_where_the_part_pairs_its_halves(drive: Drive) -> None:
    costs = f"{TWO}cost aes 1000 3000\ncost aes_mix 1000 3000\n"
    halves = ["aes 3 1", "aes_mix 1 1", "aes 3 1"]
    assert drive("core", costs, halves) == [[0], [3000], [6000], [7000]]
    fused = costs + "pair aes aes_mix\n"
    assert drive("core", fused, halves) == [[0], [0], [3000], [4000]]
    # What pairs with itself does not make a round of two.
    vectors = f"{TWO}cost simd_wide 1000 3000\npair simd_wide simd_wide\n"
    assert drive("core", vectors, halves)[:2] == [[0], [3000]]
    # Of another register it waits, as anything does.
    assert drive("core", fused, ["aes 3 1", "aes_mix 1 4", "alu 4 8"])[1:3] == [[3000], [6000]]


def test_a_branch_begins_with_what_sets_its_flags(drive: Drive) -> None:
    costs = f"{TWO}pair alu branch\npair alu alu\n"
    flags = 1 << 63
    compare = f"alu 0 {flags}"
    assert drive("core", costs, [compare, f"branch {flags} 0"]) == [[0], [0], [1000]]
    assert drive("core", costs, [compare, f"alu {flags} 2"]) == [[0], [1000], [2000]]
