# SPDX-License-Identifier: Apache-2.0
"""Instructions of the parts as the boards' files have them, held against the parts' manuals."""

import pytest

from tests.support.variants import variant_of

from .conftest import Drive

CALL = "3 100 104 0 0 1 0 40"


def timing(name: str) -> str:
    return variant_of(name, detail="timed").timing or ""


def cycles(drive: Drive, board: str, instruction: str, branch: str, called: bool) -> float:
    """A branch to 104, from where there was a call or not."""
    file = timing(board)
    core = drive("core", file, [f"{instruction} 0 0"])[-1][0]
    spent = drive("branch", file, [CALL, branch] if called else [branch])[-1][0]
    return (core + spent) / 1000


@pytest.mark.parametrize(
    ("board", "instruction", "predicted", "else_"),
    [
        # DDI 0301H, tables 16-11 and 16-19: else is 5 to 7, and 8 or 9.
        ("rpi-zero", "return", 4, 6),
        ("rpi-zero", "load_multiple_pc:2", 4, 8.5),
        ("rpi-zero", "load_multiple_pc:8", 4, 8.5),
        ("rpi-zero", "load_pc", 4, 8.5),
        # DDI 0222B, table 8.2: 3, n + 4 and 5.
        ("omap1710", "return", 3, 3),
        ("omap1710", "load_multiple_pc:2", 6, 6),
        ("omap1710", "load_multiple_pc:8", 12, 12),
        ("omap1710", "load_pc", 5, 5),
        # 280004, table 4-4: 5, 10 + max(0, n - 3) and 8.
        ("verdex", "return", 5, 5),
        ("verdex", "load_multiple_pc:3", 10, 10),
        ("verdex", "load_multiple_pc:8", 15, 15),
        ("verdex", "load_pc", 8, 8),
    ],
)
def test_a_return_takes_what_the_manual_says(
    drive: Drive, board: str, instruction: str, predicted: float, else_: float
) -> None:
    loaded = int(instruction.startswith("load"))
    back = f"5 48 52 0 0 1 0 104 0 {loaded}"
    assert cycles(drive, board, instruction, back, called=True) == predicted
    assert cycles(drive, board, instruction, back, called=False) == else_


@pytest.mark.parametrize(
    ("board", "instruction", "taken", "waited"),
    [
        # DDI 0301H, table 16-10 and 16.2.
        ("rpi-zero", "multiply_half", 1, 3),
        ("rpi-zero", "multiply", 2, 4),
        ("rpi-zero", "load_narrow", 1, 3),
        # DDI 0222B, table 8.2.
        ("omap1710", "multiply_half", 1, 2),
        ("omap1710", "multiply", 2, 3),
        ("omap1710", "load_narrow", 1, 3),
        ("omap1710", "load", 1, 2),
        # 280004, tables 4-6 and 4-8.
        ("verdex", "multiply_half", 1, 2),
        ("verdex", "load_narrow", 1, 3),
        ("rpi-zero", "multiply_add_twice", 3, 5),
        # GCC, cortex-a53.md: to a sum.
        ("rpi-zero2", "multiply", 1, 2),
        ("rpi-zero2", "multiply_long", 1, 2),
        # M. Rullgard, Cortex-A7 instruction cycle timings.
        ("rpi2", "multiply_long", 1, 3),
        # DDI 0460C, B.7, of a Cortex-R5; on the A53 the longer by what a single cycle's product is.
        ("rpi2", "multiply_add_twice", 2, 3),
        ("rpi-zero2", "multiply_add_twice", 2, 3),
        # sbc-bench, 4L4k: a chain of loads; LLVM, AArch64SchedA55.td.
        ("radxa-zero3", "load", 1, 2),
        ("radxa-zero3", "multiply", 1, 2),
        ("radxa-zero3", "fp_multiply_add", 1, 4),
        # As a part does that does not name it.
        ("rpi-zero2", "multiply_half", 1, 2),
        ("omap1710", "multiply_add_twice", 3, 4),
        ("rpi-zero2", "load_narrow", 1, 2),
    ],
)
def test_a_result_takes_what_the_manual_says(
    drive: Drive, board: str, instruction: str, taken: int, waited: int
) -> None:
    """How long the next instruction waits, and one that wants the result."""
    file = timing(board).replace("core.issue 2", "core.issue 1")
    assert drive("core", file, [f"{instruction} 1 2", "alu 4 8"])[1] == [1000 * taken]
    assert drive("core", file, [f"{instruction} 1 2", "alu 2 8"])[1] == [1000 * waited]


@pytest.mark.parametrize(
    ("instruction", "each", "chained", "summed"),
    [
        # lat_ops of an AM62x; GCC, cortex-a53.md.
        ("multiply", 1, 4, 1),
        ("multiply_long", 1, 4, 1),
        # DDI 0460C, B.7: what is half as wide as the result is not handed on.
        ("multiply_add_twice", 2, 5, 5),
        # llvm-project 219478, and the Cortex-A320.
        ("multiply_wide", 2, 4, 2),
        ("multiply_high", 4, 6, 6),
    ],
)
def test_products_of_a_cortex_a53_by_what_wants_them(
    drive: Drive, instruction: str, each: int, chained: int, summed: int
) -> None:
    file = timing("teres")
    for after, takes in (("12 2", each), ("1 2", chained), ("13 2 1", summed)):
        said = drive("core", file, [f"{instruction} 12 1", f"{instruction} {after}"])
        assert said[1] == [1000 * takes]
    # Others go on while the multiplier is kept; a store takes it in the cycle before a sum does.
    assert drive("core", file, [f"{instruction} 12 1", "alu 16 32"])[1][0] <= 2000
    sum_of, stored = (
        drive("core", file, [f"{instruction} 3 1", line])[1][0] for line in ("alu 1 4", "store 1 0")
    )
    assert sum_of - stored == 1000


@pytest.mark.parametrize(
    ("before", "waits"), [("shift", 2), ("alu", 3), ("load", 4), ("multiply", 4)]
)
def test_factors_on_a_cortex_a53(drive: Drive, before: str, waits: int) -> None:
    """GCC, cortex-a53.md: latencies of which none is passed by on the way to a product."""
    for board in ("teres", "rpi-zero2"):
        said = drive(
            "core", timing(board), ["divide 1 2", "alu 2 2", f"{before} 16 4", "multiply 4 8"]
        )
        assert said[3][0] - said[2][0] == 1000 * waits


def test_pairs_of_registers_on_a_cortex_a53(drive: Drive) -> None:
    """GCC, cortex-a53.md: one is stored in either slot; one is loaded with half a cycle left."""
    summed, stored, loaded = "alu_register 3 4", "store_pair:2 12 0", "load_pair:2 16 96"
    file = timing("teres")
    assert drive("core", file, [summed, stored])[1] == [0]
    assert drive("core", file, [stored, "alu_register 1 2"])[1] == [0]
    assert drive("core", file, [loaded, summed, stored])[1:3] == [[1000], [2000]]
    assert drive("core", file, [loaded, loaded])[1] == [2000]
    assert drive("core", file, [loaded, "load 16 4"])[1] == [2000]


@pytest.mark.parametrize("board", ["rpi-zero", "omap1710", "verdex"])
@pytest.mark.parametrize("vector", ["simd_float", "simd_float_multiply_add"])
def test_without_vectors_lanes_are_done_one_by_one(drive: Drive, board: str, vector: str) -> None:
    scalar = "fp_add" if vector == "simd_float" else "fp_multiply_add"
    for name, lanes in ((vector, 2), (f"{vector}_wide", 4)):
        # The last lane's result is waited for, too.
        one_by_one = drive("core", timing(board), [f"{scalar} 1 2"] * lanes + ["alu 2 4"])
        assert drive("core", timing(board), [f"{name} 1 2", "alu 2 4"])[-1] == one_by_one[-1]
