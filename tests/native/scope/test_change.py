# SPDX-License-Identifier: Apache-2.0
"""What the part's own kernel does at a change of the address space, counted by hand."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..sanitized import SCOPE, compile_sanitized
from .conftest import BASE, table

CYCLE = 10**6  # fs, at the 1 GHz of BASE
WRITE = 50 * CYCLE
LINES = 512
PART = BASE + (
    table("caches.l1d", size=LINES * 32, ways=4, line=32, write="back", allocate="read")
    + table("tlbs.d", entries=64, ways=2, miss=40 * CYCLE)
    + table("memory", latency=WRITE, stream=WRITE, write=WRITE, buffer=4)
)
Say = Callable[[str, Sequence[str]], list[list[int]]]


@pytest.fixture(scope="session")
def say(tmp_path_factory: pytest.TempPathFactory) -> Say:
    folder = tmp_path_factory.mktemp("change")
    parts = (
        "part/change",
        "memory/cache",
        "memory/tlb",
        "part/branch",
        "memory/memory",
        "part/state",
    )
    harness = compile_sanitized(
        folder / "harness",
        SCOPE,
        Path(__file__).with_name("change_harness.c"),
        *sorted(SCOPE.glob("timing/*.c")),
        "decode/decode_pattern.c",
        *sorted(SCOPE.glob("decode/decode_x8*.c")),
        *(f"{name}.c" for name in parts),
    )

    def run(change: str, lines: Sequence[str]) -> list[list[int]]:
        (folder / "timing.txt").write_text(PART + change)
        text = "\n".join(lines)
        command = [harness, folder / "timing.txt"]
        said = subprocess.run(command, input=text, capture_output=True, check=True, text=True)
        return [[int(word) for word in line.split()] for line in said.stdout.splitlines()]

    return run


@settings(max_examples=25)
@given(st.dictionaries(st.integers(0, LINES - 1), st.booleans(), max_size=60))
def test_as_many_lines_are_written_as_the_kernels_loop_finds_dirty(
    say: Say, lines: dict[int, bool]
) -> None:
    """The ARM926's: a turn of 5 cycles for each dirty line, which it writes, and 12 cycles."""
    change = table("change", caches="true", tlbs="true", dirty=5000, fixed=12000)
    held = [f"line {line} {int(dirty)}" for line, dirty in lines.items()]
    found = say(change, [*held, "page 7", "change", "page 7", *held])
    took, cleaned = found[len(held) + 1]
    dirty = sum(lines.values())
    assert cleaned == dirty
    # A line leaves in 50 cycles while the loop goes on, and the last before the change is over.
    assert took == (12 + (5 + 50 * dirty if dirty else 0)) * CYCLE
    # Neither a page nor a line is left.
    assert not any(flag for (flag,) in found[len(held) + 2 :])


def test_a_loop_over_all_lines_takes_its_time_for_each(say: Say) -> None:
    """The PXA270's, which allocates other lines in place of all."""
    change = table("change", caches="true", line=3500, fixed=30000)
    found = say(change, ["change", "line 3 1", "change"])
    assert found[0] == [(30 * 2 + 7 * LINES) * CYCLE // 2, 0]
    assert found[2][1] == 1 and found[2][0] >= found[0][0]


def test_a_part_whose_kernel_does_nothing_keeps_its_lines(say: Say) -> None:
    found = say("", ["line 3 1", "page 9", "change", "line 3 1", "page 9"])
    assert found == [[0], [0], [0, 0], [1], [1]]
