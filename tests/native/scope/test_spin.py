# SPDX-License-Identifier: Apache-2.0
"""Which loops only look whether another core has changed something."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ..sanitized import SCOPE, compile_sanitized

# Blocks that a core enters, see the harness: a letter for each.
Turns = Callable[[str], str]

LOAD = "b9400001"  # ldr w1, [x0]
COMPARE = "6b02003f,54ffffc1"  # cmp w1, w2; b.ne
COUNT = "71000463,54ffffa1"  # subs w3, w3, #1; b.ne
STEP = "91001000,17fffff5"  # add x0, x0, #4; b
CLOCK = "d53be045"  # mrs x5, cntvct_el0
STORE = "b9000081"  # str w1, [x4]


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_sanitized(
        tmp_path_factory.mktemp("spin") / "harness",
        SCOPE,
        Path(__file__).with_name("spin_harness.c"),
        *("cores/spin.c", "part/state.c"),
        *sorted(SCOPE.glob("decode/decode_a*.c")),
        *("decode/decode_pattern.c",),
    )


@pytest.fixture
def turns(harness: Path) -> Turns:
    def run(blocks: str, isa: str = "aarch64") -> str:
        command = [str(harness), isa, *blocks.split()]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    return run


def test_a_loop_that_loads_from_one_place_looks(turns: Turns) -> None:
    assert turns(f"a:{LOAD},{COMPARE} a a") == "011"
    # ldar w1, [x0]
    assert turns(f"a:88dffc01,{COMPARE} a") == "01"


def test_so_does_one_of_32_bits(turns: Callable[[str, str], str]) -> None:
    # ldrex r1, [r0]; cmp r1, r2; bne
    assert turns("a:e1901f9f,e1510002,1afffffc a a", "arm") == "011"


def test_a_loop_that_goes_on_through_memory_does_not(turns: Turns) -> None:
    # ldr w1, [x0], #4; then ldr x0, [x0] and cbnz x0
    assert turns(f"a:b8404401,{COMPARE} a a") == "000"
    assert turns("a:f9400000,b5ffffe0 a a") == "000"


@pytest.mark.parametrize("more", [STORE, CLOCK])
def test_nor_does_one_that_stores_or_asks_for_the_time(turns: Turns, more: str) -> None:
    assert turns(f"a:{LOAD},{more},{COMPARE} a a") == "000"


def test_a_loop_of_two_blocks_looks_if_neither_moves_on(turns: Turns) -> None:
    assert turns(f"a:{LOAD},34000021 b:{COUNT} a b a") == "00111"
    assert turns(f"a:{LOAD},34000021 b:{STEP} a b a") == "00000"


def test_a_block_that_is_entered_from_elsewhere_is_no_loop(turns: Turns) -> None:
    assert turns(f"a:{LOAD},{COMPARE} b:{STORE} a b a") == "00000"


def test_a_loop_that_loads_nothing_only_counts(turns: Turns) -> None:
    assert turns(f"a:{COUNT} a a") == "000"
